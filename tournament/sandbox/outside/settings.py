"""The table [sandbox] of tournament.toml."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from tournament.paths import PathText


class SandboxSettings(BaseModel):
    """The table [sandbox]: how processes and compilers are confined. `sandbox = "off"` is short for `mode = "off"`."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    mode: Literal["on", "off"] = Field("on", description='"off": bots and compilers run with your own rights')
    python_packages: list[str] = Field(
        [], description='installed packages that Python bots may import, for example ["numpy"]'
    )
    readable_paths: list[PathText] = Field(
        [], description="more folders that programs may read, beside this file or absolute: a language's libraries"
    )
    min_free_disk_mb: int = Field(
        500, ge=0, le=10**9, description="free disk space that builds leave; without it, submissions wait"
    )
    legs_per_process: int = Field(
        256,
        ge=1,
        le=1000,
        description="legs that share one process of a Python bot whose source allows it; 1 gives each leg its own",
    )
