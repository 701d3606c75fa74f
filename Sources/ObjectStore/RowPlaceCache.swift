import Bytes
import Rows
import Storage

/// A cache of rows' places by primary key, with their object keys, and by object key. It saves the look-ups of a read where
/// nothing has moved since the last one, and else one of the two by primary key.
///
/// An entry is only a guess: an object key is never used again and a primary key never changes, so the row
/// that it leads to is the right one if it is there and has the primary key, or the object key; otherwise the key is looked
/// up as usual. That holds for every snapshot, older or newer than the entry. A table of sets of four entries, one cache line
/// each: a new entry takes the place of one of its set. One thread at a time uses a cache.
package final class RowPlaceCache {
    /// The result of a look-up of a key.
    private struct Entry {
        /// From the greatest bits on: the number that the class has its rows under, a part of the key's hash, and the
        /// object key; 0 for nothing.
        let object: UInt64
        /// From the greatest bits on: the generation, the row's byte count, and its address.
        let place: UInt64

        static let hashBits: UInt64 = 12
        static let keyBits: UInt64 = 36
        static let byteCountBits: UInt64 = 11
        static let addressBits: UInt64 = 48
        static let generationMax: UInt64 = 31

        /// The object key.
        var key: UInt64 { object & (1 << Self.keyBits - 1) }

        /// Where the row lay; in no known state.
        var guess: MemoryPlace {
            MemoryPlace(
                address: UInt(place & (1 << Self.addressBits - 1)),
                byteCount: Int(place >> Self.addressBits & (1 << Self.byteCountBits - 1)))
        }

        /// The same with the place as a guess.
        var asGuess: Entry {
            Entry(object: object, place: place & (1 << Self.addressBits - 1))
        }

        /// The generation; 0 where the place is but a guess.
        var generation: UInt64 { place >> (Self.addressBits + Self.byteCountBits) }

        /// The class and the part of a hash.
        static func mark(_ number: UInt32, _ hash: UInt64) -> UInt64 {
            UInt64(number) << hashBits | hash & (1 << hashBits - 1)
        }

        /// Whether it is of a class and, it may be, of a key.
        func fits(_ mark: UInt64) -> Bool { object >> Self.keyBits == mark }
    }

    private static let setEntryCountLog2 = 2

    private let entryCountLog2: Int
    private let entries: UnsafeMutablePointer<Entry>
    /// The ``MemoryPlace/state`` of the places of this generation.
    private var state: UInt64 = 0
    private var generation: UInt64 = 0
    /// The entry of a full set that the next one takes the place of.
    private var next = 0

    /// Makes an empty cache.
    ///
    /// - `entryCountLog2`: How many entries it has, four at least, of sixteen bytes each; 4 MiB of them if nothing is said.
    ///   A table of twice as many as a class has objects leads to nearly all of them.
    package init(entryCountLog2: Int = 18) {
        self.entryCountLog2 = entryCountLog2
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<Entry>.stride << entryCountLog2, alignment: 64)
        entries = memory.bindMemory(to: Entry.self, capacity: 1 << entryCountLog2)
        entries.initialize(repeating: Entry(object: 0, place: 0), count: 1 << entryCountLog2)
    }

    deinit { entries.deallocate() }

    /// A hash of a primary key of a class: equal keys of two classes seldom share a set.
    static func hash(_ classNumber: UInt32, _ primaryKey: UnsafeRawBufferPointer) -> UInt64 {
        primaryKey.tableHash(seed: UInt64(classNumber))
    }

    /// The same of an object key.
    static func hash(_ classNumber: UInt32, objectKey: UInt64) -> UInt64 {
        withUnsafeBytes(of: objectKey) { $0.tableHash(seed: UInt64(classNumber)) }
    }

    private func set(_ hash: UInt64) -> UnsafeMutablePointer<Entry> {
        let index = Int(hash >> UInt64(64 - entryCountLog2 + Self.setEntryCountLog2))
        return entries + index << Self.setEntryCountLog2
    }

    /// The object of a class that a key with this hash led to, and where its row lay; nil when that is not known.
    func object(_ rowClass: RowClass, _ hash: UInt64) -> (key: UInt64, place: MemoryPlace)? {
        let set = set(hash)
        let mark = Entry.mark(rowClass.rowSpace, hash)
        for index in 0..<1 << Self.setEntryCountLog2 where set[index].fits(mark) {
            var place = set[index].guess
            if set[index].generation == generation { place.state = state }
            return (set[index].key, place)
        }
        return nil
    }

    /// Keeps where a key of a class led.
    ///
    /// - `place`: Where the row lies.
    func keep(_ rowClass: RowClass, _ key: UInt64, at place: MemoryPlace, _ hash: UInt64) {
        let number = rowClass.rowSpace
        let address = UInt64(place.address)
        guard number > 0, number < 1 << 16, key >> Entry.keyBits == 0,
            address >> Entry.addressBits == 0
        else { return }
        // Only ever newer ones: snapshots of two states in turn would begin one each time.
        if place.state > state { begin(place.state) }
        let byteCount = UInt64(place.byteCount)
        let isKnown = place.state == state && byteCount >> Entry.byteCountBits == 0
        let mark = Entry.mark(number, hash)
        let entry = Entry(
            object: mark << Entry.keyBits | key,
            place: isKnown
                ? (generation << Entry.byteCountBits | byteCount) << Entry.addressBits | address
                : address)
        let set = set(hash)
        for index in 0..<1 << Self.setEntryCountLog2
        where set[index].object == 0 || set[index].fits(mark) {
            set[index] = entry
            return
        }
        set[next] = entry
        next = (next + 1) % (1 << Self.setEntryCountLog2)
    }

    /// Begins a generation: of those before, places are but guesses. When the numbers are used up, all places become
    /// guesses, and numbering begins again.
    private func begin(_ state: UInt64) {
        self.state = state
        generation += 1
        guard generation > Entry.generationMax else { return }
        generation = 1
        for index in 0..<1 << entryCountLog2 { entries[index] = entries[index].asGuess }
    }
}
