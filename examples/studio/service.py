"""A client of the service, with only the standard library."""

import http.client
import json
import time
import urllib.error
import urllib.request

ATTEMPTS = 4


class Rejected(Exception):
    """The service rejected the request. Nothing was charged, and the same request fails again."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Busy(Exception):
    """The service could not do it now. Nothing stays charged. `retry_after` is in seconds."""

    def __init__(self, message, retry_after):
        super().__init__(message)
        self.retry_after = retry_after


class NoResponse(Exception):
    """No whole response arrived, so a paid request may have been charged."""

    retry_after = 0.5


class Service:
    """`base_url` ends with `/v1`. `timeout` is in seconds."""

    def __init__(self, base_url, api_key, timeout=30):
        self.base_url = base_url
        self.api_key = api_key
        self.timeout = timeout

    def read(self, path):
        """Reading is free, so it is tried again after any temporary failure."""
        return json.loads(self._repeat(lambda: self._send(self.base_url + path), (Busy, NoResponse)))

    def file(self, url):
        """Returns a whole file. A file that ends early is read again."""
        return self._repeat(lambda: self._send(url), (Busy, NoResponse))

    def order(self, path, body):
        """Sends a paid request. It is sent again only if the service said that it did nothing."""
        data = json.dumps(body).encode()
        return self._repeat(lambda: self._send(self.base_url + path, data, "application/json"), (Busy,))

    def upload(self, path, name, content):
        """Sends a file as a form, like `order`."""
        boundary = "studio-boundary-7d1f0c"
        head = f'--{boundary}\r\ncontent-disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        data = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
        form = f"multipart/form-data; boundary={boundary}"
        return self._repeat(lambda: self._send(self.base_url + path, data, form), (Busy,))

    def _repeat(self, attempt, temporary):
        for left in reversed(range(ATTEMPTS)):
            try:
                return attempt()
            except temporary as error:
                if left == 0:
                    raise
                time.sleep(error.retry_after)

    def _send(self, url, data=None, content_type=None):
        headers = {"authorization": f"Bearer {self.api_key}"}
        if content_type:
            headers["content-type"] = content_type
        request = urllib.request.Request(url, data, headers)
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as response:
                return response.read()
        except urllib.error.HTTPError as error:
            raise failure(error) from None
        except (OSError, http.client.HTTPException) as error:
            raise NoResponse(f"no response from {url}: {error}") from error


def failure(error):
    """The exception for a response that is not 2xx."""
    try:
        details = json.loads(error.read())["error"]
    except (OSError, http.client.HTTPException, ValueError, KeyError):
        details = {"code": "unknown", "message": str(error)}
    if error.code == 429 or error.code >= 500:
        return Busy(details["message"], float(error.headers.get("retry-after", 0.5)))
    return Rejected(details["code"], details["message"])
