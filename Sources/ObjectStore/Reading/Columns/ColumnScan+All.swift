import HoldfastQuery
import HoldfastRows
import HoldfastThreads
import Synchronization

/// Results of all objects at once, which several threads calculate where that takes long.
extension ColumnScan {
    /// When helpers have to be done.
    private var deadline: UInt64 { transaction.budget.deadlineMilliseconds }

    private var isAlone: Bool { transaction.timeSlice?.isAlone ?? true }

    /// How many objects satisfy the predicate, which columns answer whole.
    func count() throws(StoreError) -> Int {
        let counted = Aggregation(
            [], by: [], page: GroupPage(after: nil, countMax: nil), byteCountMax: .max,
            schema: transaction.rows)
        guard let aggregation = counted.makeColumns() else { return 0 }
        _ = try aggregate(aggregation, byteCountMax: .max)
        return aggregation.objectCount
    }

    /// Adds the objects that satisfy the predicate to the aggregation that the scan was made for, which columns answer
    /// completely. The scan goes chunk after chunk; helpers join from some point on. Values that only rows can decide are left to
    /// this thread.
    ///
    /// - `byteCountMax`: Memory for the groups of all threads.
    /// - Returns: The keys of the objects that are left, because a value is not in its column; nil when there was too
    ///   little memory.
    func aggregate(_ aggregation: Aggregation, byteCountMax: Int) throws(StoreError) -> [UInt64]? {
        var left: [UInt64] = []
        // It may take all, until others join.
        let worker = ColumnWorker(
            program, aggregation, byteCountMax: byteCountMax, within: transaction.budget)
        func settle(_ chunk: Int) throws(StoreError) {
            guard try evaluate(chunk) else { return }
            for exceptions in aggregation.exceptions(of: chunk) {
                frame.remove(exceptions) { left.append(Self.key(chunk, $0)) }
            }
            aggregation.add(chunk, frame)
        }
        let chunkCount = program.chunkCount
        let start = monotonicMicroseconds()
        var shared: ColumnJob?
        for chunk in 0..<chunkCount {
            try checkTime()
            if !worker.take(chunk) { try settle(chunk) }
            guard worker.hasRoom else { return nil }
            let done = chunk + 1
            guard done.isMultiple(of: options.probedChunkCount), done < chunkCount else { continue }
            let elapsed = monotonicMicroseconds() - start
            if elapsed * UInt64(chunkCount - done) / UInt64(done) >= options.sharedMicrosecondsMin {
                shared = share(done..<chunkCount, of: aggregation, byteCountMax: byteCountMax)
                if shared != nil { break }
            }
        }
        if let shared {
            let done = try finish(shared, worker)
            for chunk in done.left where worker.hasRoom { try settle(chunk) }
            var workers = done.workers
            guard worker.hasRoom, workers.allSatisfy(\.hasRoom) else { return nil }
            // One after the other is let go.
            while let other = workers.popLast() {
                aggregation.add(other.part, within: transaction.budget)
            }
        }
        try transaction.budget.requireNoFailure()
        return left
    }

    /// Begins to share chunks with helpers; nil if there are no helpers, or if parts of an aggregation would take too much
    /// memory.
    private func share(
        _ chunks: Range<Int>, of aggregation: Aggregation, byteCountMax: Int
    ) -> ColumnJob? {
        let threadCount = 1 + min(options.helperCountMax, ColumnHelpers.shared.count)
        let partByteCountMax = byteCountMax / threadCount
        guard options.helperCountMax > 0, isAlone, aggregation.isWorthSharing,
            aggregation.byteCount < partByteCountMax
        else { return nil }
        aggregation.byteCountMax = partByteCountMax
        let part = aggregation.makePart()
        let job = ColumnJob(chunks) { [program, deadline] in
            ColumnWorker(
                program, part.makePart(), byteCountMax: partByteCountMax,
                within: Budget(until: deadline))
        }
        ColumnHelpers.shared.join(job, countMax: options.helperCountMax)
        return job
    }

    /// Has a job's chunks be taken.
    ///
    /// - `worker`: That of this thread.
    /// - Returns: The workers of the helpers, and the chunks that only rows can decide.
    private func finish(
        _ job: ColumnJob, _ worker: ColumnWorker
    ) throws(StoreError) -> (workers: [ColumnWorker], left: [Int]) {
        var failure: StoreError?
        while failure == nil, worker.hasRoom, job.step(worker) {
            do throws(StoreError) { try checkTime() } catch { failure = error }
            // The helpers have no time slices of their own. They leave to others the time that this thread would have to share.
            if failure != nil || !worker.hasRoom || !isAlone { job.dismissHelpers() }
        }
        let done = job.finish()
        // Results that a helper made after its time was over must not be used. This thread's time is over as well.
        if failure == nil { try checkTime() }
        if let failure { throw failure }
        return done
    }
}

/// Helper threads that evaluate chunks of a long scan in parallel: one for each further core, started when the
/// first scan asks. They wait without cost and are shared by all stores. Thread-safe.
final class ColumnHelpers: Sendable {
    static let shared = ColumnHelpers()

    private let jobs = Monitor<[ColumnJob]>([])
    let count: Int

    private init() {
        count = min(processorCount - 1, 7)
        for _ in 0..<count {
            startThread(named: "columns") { [self] in
                while true {
                    let job: ColumnJob = jobs.wait { $0.popLast() }
                    job.help()
                }
            }
        }
    }

    /// Has helpers work on a job beside the caller.
    func join(_ job: ColumnJob, countMax: Int) {
        let count = min(count, countMax)
        guard count > 0 else { return }
        jobs.update {
            // The oldest is taken last: a scan that came later is not shorter.
            $0.insert(contentsOf: repeatElement(job, count: count), at: 0)
        }
    }
}

/// The chunks of a scan that several threads work on. Thread-safe.
final class ColumnJob: Sendable {
    private struct Helpers {
        var activeCount = 0
        var isOver = false
        var workers: [ColumnWorker] = []
    }

    private let next: Atomic<Int>
    private let end: Int
    private let makeWorker: @Sendable () -> ColumnWorker
    private let hasDismissed = Atomic<Bool>(false)
    private let left = Mutex<[Int]>([])
    private let helpers = Monitor(Helpers())

    /// Makes a job of some chunks.
    ///
    /// - `makeWorker`: Called by each helper that comes to it.
    init(_ chunks: Range<Int>, makeWorker: @escaping @Sendable () -> ColumnWorker) {
        next = Atomic(chunks.lowerBound)
        end = chunks.upperBound
        self.makeWorker = makeWorker
    }

    /// Has a worker take the next chunk; false if there is no chunk left.
    func step(_ worker: ColumnWorker) -> Bool {
        let chunk = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard chunk < end else { return false }
        if !worker.take(chunk) { left.withLock { $0.append(chunk) } }
        return true
    }

    /// Takes chunks until there are no more or helpers are dismissed, unless the job is over before a helper comes to it.
    func help() {
        let isOver = helpers.withLock { state in
            if !state.isOver { state.activeCount += 1 }
            return state.isOver
        }
        guard !isOver else { return }
        let worker = makeWorker()
        while !hasDismissed.load(ordering: .relaxed), worker.hasRoom, step(worker) {}
        helpers.signal { state in
            state.workers.append(worker)
            state.activeCount -= 1
            return state.activeCount == 0
        }
    }

    /// Lets no helper begin another chunk; the job's own thread goes on.
    func dismissHelpers() { hasDismissed.store(true, ordering: .relaxed) }

    /// Waits for the helpers, and returns their workers and the chunks that only rows can decide.
    func finish() -> (workers: [ColumnWorker], left: [Int]) {
        helpers.withLock { $0.isOver = true }
        helpers.wait { $0.activeCount == 0 ? () : nil }
        return (helpers.withLock { $0.workers }, left.withLock { $0 })
    }
}

/// The work of one thread on the chunks of a scan that several share: adds the objects that satisfy a predicate to an
/// aggregation.
final class ColumnWorker: @unchecked Sendable {
    // Unchecked: one thread at a time uses it.

    private let program: ColumnProgram
    private let frame: ColumnFrame
    let part: Aggregation

    /// - `part`: For this worker alone.
    /// - `byteCountMax`: Memory beyond which it takes no more.
    init(_ program: ColumnProgram, _ part: Aggregation, byteCountMax: Int, within budget: Budget) {
        frame = ColumnFrame(within: budget)
        self.program = program
        self.part = part
        part.byteCountMax = byteCountMax
    }

    /// Whether it is to take more.
    var hasRoom: Bool { !part.isFull }

    /// Takes a chunk; false where only the thread of the scan can do that, which reads rows.
    func take(_ chunk: Int) -> Bool {
        if part.isFull { return false }
        guard program.evaluate(chunk, frame) else { return true }
        if frame.hasUndecided || !part.exceptions(of: chunk).isEmpty { return false }
        part.add(chunk, frame)
        return true
    }
}
