import HoldfastRows

/// A cache of object keys by primary key, which saves one of the two look-ups of a read.
///
/// An entry is only a guess: an object key is never used again and a primary key never changes, so the row
/// that it leads to is the right one if it is there and has the primary key; otherwise the key is looked up as usual. That
/// holds for every snapshot, older or newer than the entry. A table of sets of four entries: a new entry replaces
/// one of its set. One thread at a time uses a cache.
///
/// Benchmark rows: `point-get`, `put-plain`.
package final class PrimaryKeyCache {
    /// The result of a look-up, from the greatest bits on: the number that the class has its rows under, a part of the
    /// key's hash, and the object key; 0 for nothing.
    private typealias Entry = UInt64

    private static let hashBits: UInt64 = 12
    private static let keyBits: UInt64 = 36
    private static let setEntryCountLog2 = 2

    private let entryCountLog2: Int
    private let entries: UnsafeMutablePointer<Entry>
    /// The index in a full set of the entry that the next one replaces.
    private var next = 0

    /// Makes an empty cache.
    ///
    /// - `entryCountLog2`: How many entries it has, four at least, of eight bytes each; 2 MiB of them if nothing is said.
    ///   A table of twice as many as a class has objects leads to nearly all of them.
    package init(entryCountLog2: Int = 18) {
        self.entryCountLog2 = entryCountLog2
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<Entry>.stride << entryCountLog2, alignment: 64)
        entries = memory.bindMemory(to: Entry.self, capacity: 1 << entryCountLog2)
        entries.initialize(repeating: 0, count: 1 << entryCountLog2)
    }

    deinit { entries.deallocate() }

    /// Hashes a primary key of a class: equal keys of two classes seldom share a set.
    static func hash(_ classNumber: UInt32, _ primaryKey: UnsafeRawBufferPointer) -> UInt64 {
        primaryKey.tableHash(seed: UInt64(classNumber))
    }

    private func set(_ hash: UInt64) -> UnsafeMutablePointer<Entry> {
        let index = Int(hash >> UInt64(64 - entryCountLog2 + Self.setEntryCountLog2))
        return entries + index << Self.setEntryCountLog2
    }

    /// Packs the class and a part of the hash, as an entry has them.
    private static func mark(_ number: UInt32, _ hash: UInt64) -> UInt64 {
        UInt64(number) << hashBits | hash & (1 << hashBits - 1)
    }

    /// Returns the object of a class that a primary key with this hash led to; nil when that is not known.
    func objectKey(_ rowClass: RowClass, _ hash: UInt64) -> UInt64? {
        let set = set(hash)
        let mark = Self.mark(rowClass.rowSpace, hash)
        for index in 0..<1 << Self.setEntryCountLog2 where set[index] >> Self.keyBits == mark {
            return set[index] & (1 << Self.keyBits - 1)
        }
        return nil
    }

    /// Keeps where a primary key of a class led.
    func keep(_ rowClass: RowClass, _ key: UInt64, _ hash: UInt64) {
        let number = rowClass.rowSpace
        guard number > 0, number < 1 << 16, key >> Self.keyBits == 0 else { return }
        let mark = Self.mark(number, hash)
        let entry = mark << Self.keyBits | key
        let set = set(hash)
        for index in 0..<1 << Self.setEntryCountLog2
        where set[index] == 0 || set[index] >> Self.keyBits == mark {
            set[index] = entry
            return
        }
        set[next] = entry
        next = (next + 1) % (1 << Self.setEntryCountLog2)
    }
}
