"""Sends requests with urllib3, which honours Retry-After by itself: `recovering_client.py URL NUMBER`.

Prints a line for each request: the last status, and the statuses after which urllib3 repeated the request.
"""

import sys

import urllib3

http = urllib3.PoolManager(retries=urllib3.Retry(total=10, raise_on_status=False))
for _ in range(int(sys.argv[2])):
    response = http.request("GET", sys.argv[1])
    print(response.status, *[entry.status for entry in response.retries.history])
