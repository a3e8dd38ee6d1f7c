// For all files of this target: every one of them needs it.
@_exported import TestSupport
