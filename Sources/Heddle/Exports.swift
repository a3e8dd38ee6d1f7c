// What an application needs comes with one import. The modules below stay usable on their own.
@_exported import HTTPMessages
@_exported import struct HTTPServer.HTTPConfiguration
@_exported import struct HTTPServer.ListenError
@_exported import Locks
@_exported import RunLoops
@_exported import struct WorkerPool.PoolConfiguration
@_exported import struct WorkerPool.PoolLimits
