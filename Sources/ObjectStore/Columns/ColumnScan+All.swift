import HoldfastQuery
import HoldfastRows
import HoldfastThreads

/// Results of all objects at once, which several threads calculate where that takes long.
extension ColumnScan {
    /// When helpers have to be done.
    private var deadline: UInt64 { transaction.budget.deadlineMilliseconds }

    private var isAlone: Bool { transaction.turn?.isAlone ?? true }

    /// How many objects satisfy the predicate.
    func count() throws(StoreError) -> Int {
        var total = 0
        let counter = ColumnCounter(program, within: transaction.budget)
        let makeWorker = { @Sendable [program, deadline] in
            ColumnCounter(program, within: Budget(until: deadline))
        }
        let workers = try share(counter, makeWorker: makeWorker) {
            (chunk) throws(StoreError) in
            guard try evaluate(chunk) else { return }
            if !testsRows {
                total += frame.count
            } else {
                _ = try rows(of: chunk, from: 0) { _, _ in
                    total += 1
                    return true
                }
            }
        }
        return workers.reduce(total + counter.count) {
            $0 + (($1 as? ColumnCounter)?.count ?? 0)
        }
    }

    /// Adds the objects that satisfy the predicate to the aggregation that the scan was made for, which columns answer
    /// whole.
    ///
    /// - `byteCountMax`: Memory for the groups of all threads.
    /// - Returns: The keys of the objects that are left, because a value is not in its column; nil when there was too
    ///   little memory.
    func aggregate(
        _ aggregation: Aggregation, byteCountMax: Int
    ) throws(StoreError) -> [UInt64]? {
        var left: [UInt64] = []
        let threadCount = 1 + min(options.helperCountMax, ColumnHelpers.shared.count)
        let partByteCountMax = byteCountMax / threadCount
        // It may take all, until others join.
        let aggregator = ColumnAggregator(
            program, aggregation, byteCountMax: byteCountMax, within: transaction.budget)
        let part = aggregation.makePart()
        let makeWorker = { @Sendable [program, deadline] in
            ColumnAggregator(
                program, part.makePart(), byteCountMax: partByteCountMax,
                within: Budget(until: deadline))
        }
        var workers = try share(aggregator, makeWorker: makeWorker) {
            (chunk) throws(StoreError) in
            guard try evaluate(chunk) else { return }
            for exceptions in aggregation.exceptions(of: chunk) {
                frame.remove(exceptions) { left.append(Self.key(chunk, $0)) }
            }
            aggregation.add(chunk, frame)
        } goesOn: {
            !aggregation.isFull
        } isShared: {
            guard aggregation.isWorthSharing, aggregation.byteCount < partByteCountMax else {
                return false
            }
            aggregation.byteCountMax = partByteCountMax
            return true
        }
        if aggregation.isFull || workers.contains(where: { !$0.hasRoom }) { return nil }
        // One after the other is let go.
        while let worker = workers.popLast() as? ColumnAggregator {
            aggregation.add(worker.part, within: transaction.budget)
        }
        try transaction.budget.requireNoFailure()
        return left
    }

    /// Has all chunks be taken: by the worker of this thread, from some point on by helpers as well, and by `settle` those
    /// that only rows can decide.
    ///
    /// - `goesOn`: Asked now and then.
    /// - `isShared`: Whether helpers may take chunks; asked only where it takes so long that they would.
    /// - Returns: The workers of the helpers.
    private func share(
        _ worker: some ColumnWorker, makeWorker: @escaping @Sendable () -> any ColumnWorker,
        settle: (_ chunk: Int) throws(StoreError) -> Void, goesOn: () -> Bool = { true },
        isShared: () -> Bool = { true }
    ) throws(StoreError) -> [any ColumnWorker] {
        let chunkCount = program.chunkCount
        let start = monotonicMicroseconds()
        for chunk in 0..<chunkCount {
            try checkTime()
            if testsRows || !worker.take(chunk) { try settle(chunk) }
            guard goesOn() else { return [] }
            let done = chunk + 1
            guard done.isMultiple(of: options.probedChunkCount), done < chunkCount else { continue }
            let left = UInt64(chunkCount - done)
            let elapsed = monotonicMicroseconds() - start
            if options.helperCountMax > 0, !testsRows, isAlone,
                elapsed * left / UInt64(done) >= options.sharedMicrosecondsMin, isShared()
            {
                let job = ColumnJob(done..<chunkCount, makeWorker: makeWorker)
                return try share(job, worker, settle, goesOn)
            }
        }
        return []
    }

    private func share(
        _ job: ColumnJob, _ worker: some ColumnWorker,
        _ settle: (_ chunk: Int) throws(StoreError) -> Void, _ goesOn: () -> Bool
    ) throws(StoreError) -> [any ColumnWorker] {
        ColumnHelpers.shared.join(job, countMax: options.helperCountMax)
        var failure: StoreError?
        var hasRoom = true
        while failure == nil, hasRoom, job.step(worker) {
            do throws(StoreError) { try checkTime() } catch { failure = error }
            hasRoom = goesOn()
            // The helpers have no turn of their own: they leave to others what this one would have to share.
            if failure != nil || !hasRoom || !isAlone { job.dismissHelpers() }
        }
        let (workers, left) = job.finish()
        // What a helper did after its time was over is not to be used; this thread's is by now, too.
        if failure == nil { try checkTime() }
        if let failure { throw failure }
        for chunk in left {
            try settle(chunk)
            guard goesOn() else { break }
        }
        return workers
    }
}
