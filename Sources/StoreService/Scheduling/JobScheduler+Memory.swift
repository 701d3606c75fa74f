import CHoldfastMemory
import Synchronization

// What long jobs have freed lies in pieces that the allocator keeps: a query of a hundred MiB would leave the process
// as large as it was at its peak.
extension JobScheduler {
    /// Whether long jobs have ended since memory was given back, and none runs that would use it again.
    package var hasMemoryToGiveBack: Bool {
        hasFreedMemory.load(ordering: .relaxed) && counts.long == 0
    }

    /// Takes notice of memory that other work has freed, such as a large write.
    package func noteFreedMemory() { hasFreedMemory.store(true, ordering: .relaxed) }

    /// Gives the memory that long jobs have freed back to the system. Takes some milliseconds; call it once a second
    /// at most.
    ///
    /// - Returns: Whether there was something to give back.
    @discardableResult
    package func giveBackMemory() -> Bool {
        guard counts.long == 0, hasFreedMemory.exchange(false, ordering: .relaxed) else {
            return false
        }
        shim_trim_memory()
        memoryReturnCount.wrappingAdd(1, ordering: .relaxed)
        return true
    }

    /// How often memory was given back.
    package var memoryReturns: Int { memoryReturnCount.load(ordering: .relaxed) }
}
