# SPDX-License-Identifier: MIT
"""The version of this package: that of the program."""

__version__ = "0.1.0"
