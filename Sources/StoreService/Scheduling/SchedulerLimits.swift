/// The limits of the jobs of a ``JobScheduler`` together.
package struct SchedulerLimits: Sendable {
    /// Jobs that have outlived their first time slice and run at once. One more turn is left to others.
    package var runningLongCountMax = 2
    /// Jobs that have outlived their first time slice and hold what they have read, whether they run or wait
    /// for their next slice. Others begin again when there is room.
    package var admittedCountMax = 8
    /// Bytes of memory of those jobs together.
    package var memoryByteCountMax = 512 << 20
    /// Bytes of memory of one job.
    package var jobMemoryByteCountMax = 256 << 20
    /// Jobs that wait for their first time slice, or to begin again.
    package var waitingCountMax = 10_000
    /// How long a job runs before it is others' turn.
    package var sliceMicroseconds: UInt64 = 4_000

    /// Makes the defaults.
    package init() {}

    /// Turns that are taken at once.
    var runningCountMax: Int { runningLongCountMax + 1 }
    /// Bytes that a job begins with: all that are admitted may have so many.
    var memoryByteCountAtFirst: Int {
        min(jobMemoryByteCountMax, max(1, memoryByteCountMax / admittedCountMax))
    }
    /// Bytes that a job has when those were too few, and it has begun again.
    var memoryByteCountAtMost: Int { min(jobMemoryByteCountMax, memoryByteCountMax) }
}
