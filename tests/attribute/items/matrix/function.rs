//! The macros that write the limited functions of the matrix.

/// Writes the code that calls a function.
macro_rules! call {
    ([$($call:tt)*] [$($first:tt)*]) => {
        pub(crate) fn call(runs: &'static Runs) -> Outcome {
            Box::pin(async move { $($call)*($($first)* ID, PEER, runs).await.map(drop) })
        }
    };
}

/// Writes a function of one shape, and the code that calls it. The body of the function counts its runs. The function has
/// other attributes above and below its limit.
macro_rules! function {
    (associated $($rest:tt)*) => { function! { method [Service::cell] [] $($rest)* } };
    (by_reference $($rest:tt)*) => { function! { method [Service.cell] [&self,] $($rest)* } };
    (by_mutable_reference $($rest:tt)*) => { function! { method [Service.cell] [&mut self,] $($rest)* } };
    (by_value $($rest:tt)*) => { function! { method [Service.cell] [self,] $($rest)* } };
    (by_arc $($rest:tt)*) => { function! { method [Arc::new(Service).cell] [self: Arc<Self>,] $($rest)* } };
    (async_trait_associated $($rest:tt)*) => { function! { async_trait_method [Service::cell] [] $($rest)* } };
    (async_trait_by_reference $($rest:tt)*) => { function! { async_trait_method [Service.cell] [&self,] $($rest)* } };
    (async_trait_by_mutable_reference $($rest:tt)*) => {
        function! { async_trait_method [Service.cell] [&mut self,] $($rest)* }
    };
    (async_trait_by_value $($rest:tt)*) => { function! { async_trait_method [Service.cell] [self,] $($rest)* } };
    (async_trait_by_arc $($rest:tt)*) => {
        function! { async_trait_method [Arc::new(Service).cell] [self: Arc<Self>,] $($rest)* }
    };

    (free [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        $($above)* $($limit)* $($below)*
        async fn cell($id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> { run($id, $peer, runs) }

        call! { [cell] [] }
    };

    (method $call:tt [$($receiver:tt)*] [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        struct Service;
        impl Service {
            $($above)* $($limit)* $($below)*
            async fn cell($($receiver)* $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> { run($id, $peer, runs) }
        }

        call! { $call [] }
    };

    (async_trait_method $call:tt [$($receiver:tt)*] [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        struct Service;
        #[async_trait]
        trait Cell: Sized {
            async fn cell($($receiver)* $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection>;
        }
        #[async_trait]
        impl Cell for Service {
            $($above)* $($limit)* $($below)*
            async fn cell($($receiver)* $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> { run($id, $peer, runs) }
        }

        call! { $call [] }
    };

    (generic [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        $($above)* $($limit)* $($below)*
        async fn cell<T: Display + Send, const N: usize>(value: [T; N], $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> {
            run($id, $peer, runs).inspect(|n| drop((n, value.map(|value| value.to_string()))))
        }

        call! { [cell] [["a"],] }
    };

    (async_trait_generic [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        struct Service;
        #[async_trait]
        trait Cell {
            async fn cell<T: Display + Send>(&self, value: T, $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection>;
        }
        #[async_trait]
        impl Cell for Service {
            $($above)* $($limit)* $($below)*
            async fn cell<T: Display + Send>(&self, value: T, $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> {
                run($id, $peer, runs).inspect(|n| drop((n, value.to_string())))
            }
        }

        call! { [Service.cell] ["a",] }
    };

    (of_a_trait [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        struct Service;
        trait Cell {
            $($above)* $($limit)* $($below)*
            async fn cell(&self, $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> { run($id, $peer, runs) }
        }
        impl Cell for Service {}

        call! { [Service.cell] [] }
    };

    (async_trait_of_a_trait [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        struct Service;
        #[async_trait]
        trait Cell: Sync {
            $($above)* $($limit)* $($below)*
            async fn cell(&self, $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> { run($id, $peer, runs) }
        }
        #[async_trait]
        impl Cell for Service {}

        call! { [Service.cell] [] }
    };

    (opaque [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        $($above)* $($limit)* $($below)*
        async fn cell($id: u32, $peer: SocketAddr, runs: &Runs) -> impl Display { run($id, $peer, runs).map_or_else(|_| 0, |run| run) }

        call! { [cell] [] }
    };

    (future [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        $($above)* $($limit)* $($below)*
        fn cell($id: u32, $peer: SocketAddr, runs: &Runs) -> impl Future<Output = Result<u32, Rejection>> {
            let next = $id + 1;
            async move { run(next - 1, $peer, runs) }
        }

        call! { [cell] [] }
    };

    (boxed [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        $($above)* $($limit)* $($below)*
        fn cell<'r>($id: u32, $peer: SocketAddr, runs: &'r Runs) -> Pin<Box<dyn Future<Output = Result<u32, Rejection>> + Send + 'r>> {
            if $id == 0 {
                return Box::pin(ready(Ok(0)));
            }
            Box::pin(async move { run($id, $peer, runs) })
        }

        call! { [cell] [] }
    };

    (of_a_block [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        struct Service;
        $($limit)*
        impl Service {
            $($below)*
            async fn cell(&self, $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> { run($id, $peer, runs) }
        }

        call! { [Service.cell] [] }
    };

    (async_trait_of_a_block [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        struct Service;
        #[async_trait]
        trait Cell {
            async fn cell(&self, $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection>;
        }
        #[async_trait]
        $($limit)*
        impl Cell for Service {
            $($below)*
            async fn cell(&self, $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> { run($id, $peer, runs) }
        }

        call! { [Service.cell] [] }
    };
}

pub(crate) use {call, function};
