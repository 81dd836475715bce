"""Runs a command in a terminal of a given width. Acts when texts are shown: presses keys, sends a signal (`SIGINT`), or
stops a server (`stop:PORT`).

Prints one line of JSON: exit code, output, and whether the modes of the terminal are as they were before.
"""
import fcntl, json, os, pty, select, signal, socket, struct, sys, termios, time

columns, steps = int(sys.argv[1]), json.loads(sys.argv[2])
main, side = pty.openpty()
fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
before = termios.tcgetattr(side)
child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(side, termios.TIOCSCTTY, 0)
    for descriptor in range(3):
        os.dup2(side, descriptor)
    os.execv(sys.argv[3], sys.argv[3:])
output, end = b"", time.time() + 60
while time.time() < end:
    if select.select([main], [], [], 0.05)[0]:
        output += os.read(main, 65536)
    if steps and steps[0][0].encode() in output:
        _, action = steps.pop(0)
        if action.startswith("SIG"):
            os.kill(child, getattr(signal, action))
        elif action.startswith("stop:"):
            with socket.create_connection(("127.0.0.1", int(action[5:]))) as server:
                server.sendall(b"SHUTDOWN NOSAVE\r\n")
                server.recv(100)
        else:
            os.write(main, action.encode())
    done, status = os.waitpid(child, os.WNOHANG)
    if done:
        break
else:
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
while select.select([main], [], [], 0.05)[0]:
    output += os.read(main, 65536)
print(json.dumps({
    "code": os.waitstatus_to_exitcode(status),
    "output": output.decode(errors="replace"),
    "restored": termios.tcgetattr(side) == before,
}))
