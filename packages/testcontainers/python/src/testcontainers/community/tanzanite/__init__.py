#
#    Licensed under the Apache License, Version 2.0 (the "License"); you may
#    not use this file except in compliance with the License. You may obtain
#    a copy of the License at
#
#         http://www.apache.org/licenses/LICENSE-2.0
#
#    Unless required by applicable law or agreed to in writing, software
#    distributed under the License is distributed on an "AS IS" BASIS, WITHOUT
#    WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the
#    License for the specific language governing permissions and limitations
#    under the License.
import json
import os
from pathlib import Path
from typing import Any, Optional, Union
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from uuid import uuid4

from typing_extensions import Self

from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import HttpWaitStrategy

_SEED_FOLDER = "/seed"
_ACCOUNT_NAME = "devstoreaccount1"
_ACCOUNT_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


class TanzaniteContainer(DockerContainer):
    """
    Tanzanite, an emulator of the Azure Table service. It keeps its data in memory and accepts every account name.

    Example:

        .. doctest::

            >>> from azure.data.tables import TableServiceClient
            >>> from testcontainers.community.tanzanite import TanzaniteContainer

            >>> with TanzaniteContainer() as tanzanite:
            ...     service = TableServiceClient.from_connection_string(tanzanite.get_connection_string())
            ...     pets = service.create_table("pets")
            ...     _ = pets.create_entity({"PartitionKey": "dog", "RowKey": "rex", "age": 3})
            ...     pets.get_entity("dog", "rex")["age"]
            3
    """

    def __init__(
        self,
        image: str = "tanzanite/tanzanite:latest",
        port: int = 10002,
        *,
        control_token: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        """
        Args:
            image: Image with a tag.
            port: Port of the service in the container.
            control_token: Token for requests to the control API, of at least 16 characters. By default it is random.
            **kwargs: Keyword arguments passed to super class.
        """
        super().__init__(image, **kwargs)
        self.port = port
        self.control_token = control_token or uuid4().hex
        self._flags: list[str] = []
        self.with_exposed_ports(port)
        self.with_env("TANZANITE_CONTROL_TOKEN", self.control_token)
        self.waiting_for(HttpWaitStrategy(port, "/_emulator/ready").for_status_code(200))

    def with_seed(self, folder: Union[str, "os.PathLike[str]"]) -> Self:
        """
        Fill the account devstoreaccount1 with the tables in a folder before the container is ready.

        Args:
            folder: Holds one file per table, such as ``People.ndjson``, ``People.csv`` or ``People.json``.

        Returns:
            self: Container instance for method chaining.
        """
        # The files are copied one by one, so that the image's user can read them even if the folder has restrictive modes
        for file in sorted(Path(folder).iterdir()):
            if file.is_file():
                self.with_copy_into_container(file, f"{_SEED_FOLDER}/{file.name}")
        return self.with_flags("--seed", _SEED_FOLDER)

    def with_flags(self, *flags: str) -> Self:
        """
        Add flags of ``tanzanite start``, such as ``"--throttle", "enforce"``.

        Returns:
            self: Container instance for method chaining.
        """
        self._flags.extend(flags)
        return self

    def _configure(self) -> None:
        start = ["--tablePort", str(self.port), "--inMemoryPersistence", "--accounts", "any", "--log-level", "warn"]
        self.with_command([*start, *self._flags])

    def get_account_key(self) -> str:
        """
        Get the key of every account.
        """
        return _ACCOUNT_KEY

    def get_table_endpoint(self, account_name: str = _ACCOUNT_NAME) -> str:
        """
        Get the address of an account.

        Args:
            account_name: Any name of 3 to 24 lowercase letters and digits. The account of a new name is empty.
        """
        return f"{self._get_url()}/{account_name}"

    def get_connection_string(self, account_name: str = _ACCOUNT_NAME) -> str:
        """
        Get the connection string of an account.

        Args:
            account_name: Any name of 3 to 24 lowercase letters and digits. The account of a new name is empty.
        """
        return (
            f"DefaultEndpointsProtocol=http;AccountName={account_name};AccountKey={_ACCOUNT_KEY};"
            f"TableEndpoint={self.get_table_endpoint(account_name)};"
        )

    def control(self, method: str, path: str, body: Optional[object] = None) -> Any:
        """
        Send a request to the control API, which adds faults, sets the clock, saves and restores data, and reports on requests.

        Args:
            method: The HTTP method.
            path: Below ``/_emulator/``, such as ``faults``, ``clock``, ``reset`` or ``advisor``.
            body: Sent as JSON.

        Returns:
            The JSON of the response, or None if the response has no body.

        Raises:
            RuntimeError: If the request is refused.
        """
        request = Request(f"{self._get_url()}/_emulator/{path}", method=method)
        request.add_header("Authorization", f"Bearer {self.control_token}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with urlopen(request) as response:
                text = response.read()
        except HTTPError as error:
            raise RuntimeError(f"{method} {path} failed with status {error.code}: {error.read().decode()}") from None
        return json.loads(text) if text else None

    def _get_url(self) -> str:
        return f"http://{self.get_container_host_ip()}:{self.get_exposed_port(self.port)}"
