"""Options and arguments that several commands take; each is written down once."""

from typing import Annotated

import typer

URL = "http://127.0.0.1:8090"
Url = Annotated[str, typer.Option(help="Where the service is.")]
AsJson = Annotated[bool, typer.Option("--json", help="For programs.")]
ClusterArgument = Annotated[str, typer.Argument(help="Name or id of a cluster.")]

Host = Annotated[str | None, typer.Option(help="Address to listen on.")]
Port = Annotated[int | None, typer.Option(help="Port to listen on (8090).")]
Data = Annotated[str | None, typer.Option(help="Folder for the database and the files (data).")]
Database = Annotated[str | None, typer.Option(help="sqlite:///file or postgresql://user@host/name.")]
Storage = Annotated[str | None, typer.Option(help="Folder or s3://bucket for generated files and logs.")]
