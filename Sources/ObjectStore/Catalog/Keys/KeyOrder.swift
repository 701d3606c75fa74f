/// The order in which a transaction makes its objects, compared with the order of their object keys.
///
/// A link to an object that is made later takes that object's key early. From then on each new object is noted. A transaction
/// whose keys turn out to be in another order is run once more, and every object gets its key in order. Cost: nothing without
/// such a link; otherwise 16 bytes for each object that is made after it, and a second run if one of them belongs before it.
struct KeyOrder {
    /// Whether a key was taken early, so that new objects are noted.
    var isTracking = false
    /// The new objects, in the order in which they were made; one that contains itself is noted again.
    private var made: ContiguousArray<ObjectIdentity> = []
    /// In a second run the key that stands for one that the counters give.
    private var exchanged: [ObjectIdentity: UInt64] = [:]

    /// How many objects are noted.
    var count: Int { made.count }

    /// The key of a new object for which the counters of its class give `key`.
    func key(_ key: UInt64, ofClass index: Int) -> UInt64 {
        exchanged.isEmpty ? key : exchanged[ObjectIdentity(classIndex: index, key: key)] ?? key
    }

    /// Notes an object that is being made, if that is necessary.
    mutating func note(_ key: UInt64, ofClass index: Int) {
        guard isTracking else { return }
        made.append(ObjectIdentity(classIndex: index, key: key))
    }

    /// Takes back the newest notes.
    mutating func truncate(to count: Int) {
        if made.count > count { made.removeSubrange(count...) }
    }

    /// Starts over.
    mutating func removeAll() {
        isTracking = false
        if !made.isEmpty { made.removeAll(keepingCapacity: true) }
        if !exchanged.isEmpty { exchanged.removeAll() }
    }

    /// The order for a second run; nil when the keys are in order, and in the second run itself.
    ///
    /// - `firstKey`: The first key that the transaction could take in a class, by its position. Lower ones
    ///   were taken by others before, for objects that only are made now.
    func corrected(firstKey: (Int) -> UInt64) -> KeyOrder? {
        guard isTracking, exchanged.isEmpty else { return nil }
        var byClass: [Int: [UInt64]] = [:]
        for object in made where object.key >= firstKey(object.classIndex) {
            byClass[object.classIndex, default: []].append(object.key)
        }
        var result = KeyOrder()
        for (index, keys) in byClass where !zip(keys, keys.dropFirst()).allSatisfy(<) {
            var seen: Set<UInt64> = []
            let turns = keys.filter { seen.insert($0).inserted }
            for (key, wanted) in zip(turns, turns.sorted()) where key != wanted {
                result.exchanged[ObjectIdentity(classIndex: index, key: key)] = wanted
            }
        }
        return result.exchanged.isEmpty ? nil : result
    }
}

/// The first sixteen bytes of a key as two numbers, zeros where it is shorter.
///
/// Prefixes that differ are in the order of their keys, because no byte is below zero. Equal prefixes decide nothing. Comparing
/// them touches only the memory of the slots, while a search among tens of thousands of keys would otherwise mostly wait for
/// other memory.
struct KeyPrefix {
    let high: UInt64
    let low: UInt64

    /// Takes the beginning of a key.
    @inline(__always)
    init(_ key: UnsafeRawBufferPointer) {
        guard key.count >= 8 else {
            (high, low) = (Self.word(key), 0)
            return
        }
        high = UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
        // For a shorter key its last eight bytes, without the bytes in the other number.
        let offset = min(8, key.count - 8)
        let last = UInt64(bigEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        low = last << UInt64(8 * (8 - offset))
    }

    /// Less than eight bytes as a number.
    private static func word(_ key: UnsafeRawBufferPointer) -> UInt64 {
        var word: UInt64 = 0
        withUnsafeMutableBytes(of: &word) { $0.copyMemory(from: key) }
        return UInt64(bigEndian: word)
    }
}
