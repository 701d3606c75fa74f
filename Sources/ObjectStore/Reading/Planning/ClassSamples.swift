import HoldfastBytes
import HoldfastRows
import HoldfastStorage
import HoldfastThreads

/// The samples of a store's classes: taken when a plan first asks for one, and again when the class has grown or
/// shrunk to half, or was written to since a sample of a minute ago.
///
/// A thread of its own reads the rows of each; callers never wait. Samples are in memory alone. Thread-safe.
package final class ClassSamples: Sendable {
    private struct State {
        /// The last sample of each class, by ``RowClass/rowSpace``.
        var samples: [UInt32: ClassSample] = [:]
        /// The classes of which one is being taken.
        var taking: Set<UInt32> = []
        var isStopped = false
    }

    /// The greatest age of a sample of a class that is written to, in milliseconds.
    private static let ageMax: UInt64 = 60_000
    /// The rows that are read of one snapshot, which takes some 30 µs, and 3 ms where each is on a disk.
    private static let sliceRowCount = 32

    /// The most classes sampled at a time; another one's sample is taken when it is asked for again.
    private static let takingCountMax = 4

    private let engine: any StorageEngine
    private let catalogs: CatalogHistory
    private let columns: ColumnStore
    private let epoch: UInt64
    private let state = Monitor(State())

    init(
        _ engine: any StorageEngine, _ catalogs: CatalogHistory, _ columns: ColumnStore,
        epoch: UInt64
    ) {
        self.engine = engine
        self.catalogs = catalogs
        self.columns = columns
        self.epoch = epoch
    }

    /// Waits for the threads, which have snapshots open, and takes no more samples.
    func stop() {
        state.withLock { $0.isStopped = true }
        state.wait { $0.taking.isEmpty ? () : nil }
    }

    /// Returns the sample of a class; nil before there is one. Has one taken where that is missing or out of date.
    ///
    /// - `objectCount`: The number of objects of the class.
    func sample(of rowClass: RowClass, objectCount: Int, commit: UInt64) -> ClassSample? {
        let space = rowClass.rowSpace
        let (sample, starts) = state.withLock { state -> (ClassSample?, Bool) in
            // Rows of another schema may say something else.
            let sample = state.samples[space].flatMap { $0.rowClass === rowClass ? $0 : nil }
            let isCurrent = sample.map { Self.isCurrent($0, objectCount, commit) } ?? false
            guard !isCurrent, !state.isStopped, state.taking.count < Self.takingCountMax else {
                return (sample, false)
            }
            return (sample, state.taking.insert(space).inserted)
        }
        guard starts else { return sample }
        let isStarted = startThreadIfPossible {
            self.take(rowClass)
            self.end(space)
        }
        if !isStarted { end(space) }
        return sample
    }

    private func end(_ space: UInt32) { state.update { $0.taking.remove(space) } }

    private static func isCurrent(
        _ sample: ClassSample, _ objectCount: Int, _ commit: UInt64
    ) -> Bool {
        guard objectCount / 2 <= sample.objectCount, sample.objectCount / 2 <= objectCount else {
            return false
        }
        return commit <= sample.commit || monotonicMilliseconds() < sample.milliseconds + ageMax
    }

    /// Takes a sample now, on the caller's thread. A class that can't be read has none.
    func take(_ rowClass: RowClass) {
        guard let sample = try? read(rowClass) else { return }
        state.withLock { $0.samples[rowClass.rowSpace] = sample }
    }

    private func read(_ rowClass: RowClass) throws(StoreError) -> ClassSample? {
        var entries: [ClassSample.Entry] = []
        let copies = ByteBuffer(capacity: 1 << 16)
        var lastKey: UInt64 = 0
        var step = 0
        while true {
            guard let read = try view() else { return nil }
            defer { read.close() }
            guard read.rows.classes.contains(where: { $0 === rowClass }) else { return nil }
            let state = try read.classState(rowClass)
            let isWhole = state.nextKey <= ClassSample.rowCountMax
            let end = min(step + Self.sliceRowCount, ClassSample.rowCountMax)
            while step < end {
                // One row of each part of the keys: the first from somewhere in it on.
                let start = Self.start(of: step, state.nextKey)
                let width = Self.start(of: step + 1, state.nextKey) - start
                let offset = isWhole ? 0 : ClassSample.scattered(start) % max(1, width)
                try read.scan(rowClass, after: max(lastKey, start + offset), expecting: 1) {
                    key, row in
                    lastKey = key
                    var copy = -1
                    if !row.holdsOverflow, row.byteCount <= ClassSample.rowByteCountMax {
                        copy = copies.count
                        copies.append(row.bytes)
                    }
                    entries.append(ClassSample.Entry(key: key, offset: copy))
                    return false
                }
                step += 1
            }
            guard step < ClassSample.rowCountMax else {
                return ClassSample(
                    rowClass, objectCount: Int(state.count), commit: read.commit,
                    milliseconds: monotonicMilliseconds(), entries: entries, copies: copies)
            }
        }
    }

    /// Returns the first key of a part of the keys.
    private static func start(of part: Int, _ keyCount: UInt64) -> UInt64 {
        let count = UInt64(ClassSample.rowCountMax)
        return keyCount / count * UInt64(part) + keyCount % count * UInt64(part) / count
    }

    private func view() throws(StoreError) -> ReadTransaction? {
        do throws(StorageError) {
            return StoreView(
                snapshot: try engine.snapshot(),
                ViewSource(catalogs: catalogs, columns: columns, epoch: epoch))
        } catch {
            throw .storage(error)
        }
    }
}
