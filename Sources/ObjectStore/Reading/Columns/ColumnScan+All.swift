import HoldfastQuery
import HoldfastRows
import HoldfastThreads

/// Results of all objects at once, which several threads calculate where that takes long.
extension ColumnScan {
    /// When helpers have to be done.
    private var deadline: UInt64 { transaction.budget.deadlineMilliseconds }

    private var isAlone: Bool { transaction.turn?.isAlone ?? true }

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
    /// whole: chunk after chunk, from some point on by helpers as well, and what only rows can decide by this thread.
    ///
    /// - `byteCountMax`: Memory for the groups of all threads.
    /// - Returns: The keys of the objects that are left, because a value is not in its column; nil when there was too
    ///   little memory.
    func aggregate(
        _ aggregation: Aggregation, byteCountMax: Int
    ) throws(StoreError) -> [UInt64]? {
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

    /// Begins to share chunks with helpers; nil where there are none, or parts of an aggregation would take too much.
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
            // The helpers have no turn of their own: they leave to others what this one would have to share.
            if failure != nil || !worker.hasRoom || !isAlone { job.dismissHelpers() }
        }
        let done = job.finish()
        // What a helper did after its time was over is not to be used; this thread's is by now, too.
        if failure == nil { try checkTime() }
        if let failure { throw failure }
        return done
    }
}
