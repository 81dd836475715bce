//! A hostile connection over HTTP/1.1.

use super::{Ended, Tally, acts, patience};
use fastrand::Rng;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Sends up to three requests, and ends the connection in a random way.
pub(super) async fn connection(server: SocketAddr, mut rng: Rng, tally: &Tally) -> Ended {
    let rng = &mut rng;
    let mut stream = TcpStream::connect(server).await?;
    for _ in 0..rng.u32(1..4) {
        let method = if rng.u8(..5) == 0 { "HEAD" } else { "GET" };
        let request = format!("{method} /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", acts::random(rng));
        match rng.u8(..9) {
            // Sends half of a request.
            0 => return Ok(stream.write_all(&request.as_bytes()[..request.len() / 2]).await?),
            // Leaves before the answer.
            1 => return Ok(stream.write_all(request.as_bytes()).await?),
            // Sends several requests at once.
            2 => stream.write_all(request.repeat(3).as_bytes()).await?,
            _ => stream.write_all(request.as_bytes()).await?,
        }
        let how = rng.u8(..6);
        if how == 0 {
            stream.shutdown().await?;
        }
        let mut start = [0; 12];
        timeout(patience(rng), stream.read_exact(&mut start)).await??;
        tally.count(&start == b"HTTP/1.1 429");
        match how {
            1 => {
                stream.set_zero_linger()?; // the connection is reset
                return Ok(());
            }
            2 => return Ok(()),
            _ => read(&mut stream, rng).await?,
        }
    }
    Ok(())
}

/// Reads some of the response. Stops when the response has ended, when nothing arrives for a moment, or after 64 reads.
async fn read(stream: &mut TcpStream, rng: &mut Rng) -> Ended {
    let (mut buffer, moment) = (vec![0; 16 * 1024], Duration::from_millis(rng.u64(1..40)));
    for _ in 0..64 {
        match timeout(moment, stream.read(&mut buffer)).await {
            Ok(Ok(0)) | Err(_) => break,
            Ok(read) => read?,
        };
    }
    Ok(())
}
