//! The shapes of limited functions, each as a macro that writes one.

/// Writes a function whose body counts its runs, with attributes above and below its limit, and the code that calls
/// it.
macro_rules! function {
    (free [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        $($above)* $($limit)* $($below)*
        async fn cell($id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> { run($id, $peer, runs) }

        pub(crate) fn call(runs: &'static Runs) -> Outcome {
            Box::pin(async move { cell(ID, PEER, runs).await.map(drop) })
        }
    };

    (associated [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        struct Service;
        impl Service {
            $($above)* $($limit)* $($below)*
            async fn cell($id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> { run($id, $peer, runs) }
        }

        pub(crate) fn call(runs: &'static Runs) -> Outcome {
            Box::pin(async move { Service::cell(ID, PEER, runs).await.map(drop) })
        }
    };

    (async_trait_associated [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        struct Service;
        #[async_trait]
        trait Cell: Sized {
            async fn cell($id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection>;
        }
        #[async_trait]
        impl Cell for Service {
            $($above)* $($limit)* $($below)*
            async fn cell($id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> { run($id, $peer, runs) }
        }

        pub(crate) fn call(runs: &'static Runs) -> Outcome {
            Box::pin(async move { Service::cell(ID, PEER, runs).await.map(drop) })
        }
    };

    (by_reference [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        struct Service;
        impl Service {
            $($above)* $($limit)* $($below)*
            async fn cell(&self, $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> { run($id, $peer, runs) }
        }

        pub(crate) fn call(runs: &'static Runs) -> Outcome {
            Box::pin(async move { Service.cell(ID, PEER, runs).await.map(drop) })
        }
    };

    (async_trait_by_reference [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        struct Service;
        #[async_trait]
        trait Cell: Sized {
            async fn cell(&self, $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection>;
        }
        #[async_trait]
        impl Cell for Service {
            $($above)* $($limit)* $($below)*
            async fn cell(&self, $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> { run($id, $peer, runs) }
        }

        pub(crate) fn call(runs: &'static Runs) -> Outcome {
            Box::pin(async move { Service.cell(ID, PEER, runs).await.map(drop) })
        }
    };

    (by_mutable_reference [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        struct Service;
        impl Service {
            $($above)* $($limit)* $($below)*
            async fn cell(&mut self, $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> { run($id, $peer, runs) }
        }

        pub(crate) fn call(runs: &'static Runs) -> Outcome {
            Box::pin(async move { Service.cell(ID, PEER, runs).await.map(drop) })
        }
    };

    (async_trait_by_mutable_reference [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        struct Service;
        #[async_trait]
        trait Cell: Sized {
            async fn cell(&mut self, $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection>;
        }
        #[async_trait]
        impl Cell for Service {
            $($above)* $($limit)* $($below)*
            async fn cell(&mut self, $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> { run($id, $peer, runs) }
        }

        pub(crate) fn call(runs: &'static Runs) -> Outcome {
            Box::pin(async move { Service.cell(ID, PEER, runs).await.map(drop) })
        }
    };

    (by_value [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        struct Service;
        impl Service {
            $($above)* $($limit)* $($below)*
            async fn cell(self, $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> { run($id, $peer, runs) }
        }

        pub(crate) fn call(runs: &'static Runs) -> Outcome {
            Box::pin(async move { Service.cell(ID, PEER, runs).await.map(drop) })
        }
    };

    (async_trait_by_value [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        struct Service;
        #[async_trait]
        trait Cell: Sized {
            async fn cell(self, $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection>;
        }
        #[async_trait]
        impl Cell for Service {
            $($above)* $($limit)* $($below)*
            async fn cell(self, $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> { run($id, $peer, runs) }
        }

        pub(crate) fn call(runs: &'static Runs) -> Outcome {
            Box::pin(async move { Service.cell(ID, PEER, runs).await.map(drop) })
        }
    };

    (by_arc [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        struct Service;
        impl Service {
            $($above)* $($limit)* $($below)*
            async fn cell(self: Arc<Self>, $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> { run($id, $peer, runs) }
        }

        pub(crate) fn call(runs: &'static Runs) -> Outcome {
            Box::pin(async move { Arc::new(Service).cell(ID, PEER, runs).await.map(drop) })
        }
    };

    (async_trait_by_arc [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        struct Service;
        #[async_trait]
        trait Cell: Sized {
            async fn cell(self: Arc<Self>, $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection>;
        }
        #[async_trait]
        impl Cell for Service {
            $($above)* $($limit)* $($below)*
            async fn cell(self: Arc<Self>, $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> { run($id, $peer, runs) }
        }

        pub(crate) fn call(runs: &'static Runs) -> Outcome {
            Box::pin(async move { Arc::new(Service).cell(ID, PEER, runs).await.map(drop) })
        }
    };

    (generic [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        $($above)* $($limit)* $($below)*
        async fn cell<T: Display + Send, const N: usize>(value: [T; N], $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> {
            run($id, $peer, runs).inspect(|n| drop((n, value.map(|value| value.to_string()))))
        }

        pub(crate) fn call(runs: &'static Runs) -> Outcome {
            Box::pin(async move { cell(["a"], ID, PEER, runs).await.map(drop) })
        }
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

        pub(crate) fn call(runs: &'static Runs) -> Outcome {
            Box::pin(async move { Service.cell("a", ID, PEER, runs).await.map(drop) })
        }
    };

    (of_a_trait [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        struct Service;
        trait Cell {
            $($above)* $($limit)* $($below)*
            async fn cell(&self, $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> { run($id, $peer, runs) }
        }
        impl Cell for Service {}

        pub(crate) fn call(runs: &'static Runs) -> Outcome {
            Box::pin(async move { Service.cell(ID, PEER, runs).await.map(drop) })
        }
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

        pub(crate) fn call(runs: &'static Runs) -> Outcome {
            Box::pin(async move { Service.cell(ID, PEER, runs).await.map(drop) })
        }
    };

    (opaque [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        $($above)* $($limit)* $($below)*
        async fn cell($id: u32, $peer: SocketAddr, runs: &Runs) -> impl Display { run($id, $peer, runs).map_or_else(|_| 0, |run| run) }

        pub(crate) fn call(runs: &'static Runs) -> Outcome {
            Box::pin(async move { cell(ID, PEER, runs).await.map(drop) })
        }
    };

    (future [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        $($above)* $($limit)* $($below)*
        fn cell($id: u32, $peer: SocketAddr, runs: &Runs) -> impl Future<Output = Result<u32, Rejection>> {
            let next = $id + 1;
            async move { run(next - 1, $peer, runs) }
        }

        pub(crate) fn call(runs: &'static Runs) -> Outcome {
            Box::pin(async move { cell(ID, PEER, runs).await.map(drop) })
        }
    };

    (boxed [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        $($above)* $($limit)* $($below)*
        fn cell<'r>($id: u32, $peer: SocketAddr, runs: &'r Runs) -> Pin<Box<dyn Future<Output = Result<u32, Rejection>> + Send + 'r>> {
            if $id == 0 {
                return Box::pin(ready(Ok(0)));
            }
            Box::pin(async move { run($id, $peer, runs) })
        }

        pub(crate) fn call(runs: &'static Runs) -> Outcome {
            Box::pin(async move { cell(ID, PEER, runs).await.map(drop) })
        }
    };

    (of_a_block [$($above:tt)*] [$($limit:tt)*] [$($below:tt)*] $id:ident $peer:ident) => {
        struct Service;
        $($limit)*
        impl Service {
            $($below)*
            async fn cell(&self, $id: u32, $peer: SocketAddr, runs: &Runs) -> Result<u32, Rejection> { run($id, $peer, runs) }
        }

        pub(crate) fn call(runs: &'static Runs) -> Outcome {
            Box::pin(async move { Service.cell(ID, PEER, runs).await.map(drop) })
        }
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

        pub(crate) fn call(runs: &'static Runs) -> Outcome {
            Box::pin(async move { Service.cell(ID, PEER, runs).await.map(drop) })
        }
    };
}

pub(crate) use function;
