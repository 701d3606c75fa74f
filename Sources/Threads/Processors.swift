import Glibc

/// The number of processors that the system has, at least 1; of when it was asked for first.
package let processorCount = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
