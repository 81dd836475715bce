// rate-limiter-flexible on ioredis. Each line of input starts a round: callers, keys, milliseconds. Each line of output is
// its result: decisions, seconds, CPU seconds, and the median and 99th percentile of the decisions' times in us.
import { createInterface } from "node:readline";
import Redis from "ioredis";
import { RateLimiterRedis } from "rate-limiter-flexible";

const [url, points, duration] = process.argv.slice(2);
const storeClient = new Redis(url, { enableOfflineQueue: true });
const limiter = new RateLimiterRedis({ storeClient, points: Number(points), duration: Number(duration) });

async function calls(caller, keys, until, times) {
  let before = performance.now();
  for (let call = 0; before < until; call += 1) {
    await limiter.consume(`user-${(caller * 1000003 + call * 7919) % keys}`);
    const after = performance.now();
    times.push(after - before);
    before = after;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const [callers, keys, millis] = line.split(" ").map(Number);
  const times = [];
  const cpu = process.cpuUsage();
  const start = performance.now();
  await Promise.all(Array.from({ length: callers }, (_, caller) => calls(caller, keys, start + millis, times)));
  const seconds = (performance.now() - start) / 1e3;
  const { user, system } = process.cpuUsage(cpu);
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.floor((times.length * part) / 100)] * 1e3;
  console.log(times.length, seconds, (user + system) / 1e6, at(50), at(99));
}
storeClient.disconnect();
