import HoldfastBytes
import HoldfastRows
import HoldfastStorage

/// The maker of object keys, and of the numbers that are primary keys, for a transaction.
struct KeyMaker {
    private let group: CommitGroup
    /// Whether the transaction has reserved keys for later ones, to be stored even if it changes nothing else.
    private(set) var hasReserved = false
    /// The object keys that were reserved for objects, by the stored form of their primary keys.
    private var reserved: [[UInt8]: UInt64] = [:]
    /// Whether objects get their keys in the order in which they are made.
    private var order = KeyOrder()

    init(_ group: CommitGroup) { self.group = group }

    // MARK: Object keys

    /// Takes the next object key of a class.
    mutating func take(
        _ rowClass: RowClass, _ counters: inout ClassCounters
    ) throws(StoreError) -> UInt64 {
        let key = try counters.change(rowClass) { state in
            defer { state.nextKey += 1 }
            return state.nextKey
        }
        return order.key(key, ofClass: rowClass.index)
    }

    /// Takes the object key of an object that is going to be made later, so that links can name it before.
    mutating func takeEarly(
        _ rowClass: RowClass, _ counters: inout ClassCounters
    ) throws(StoreError) -> UInt64 {
        order.isTracking = true
        return try take(rowClass, &counters)
    }

    /// Takes the object key of an object with a primary key: the one that was reserved for it, otherwise the
    /// next one of the class. Maps the primary key to it.
    ///
    /// - `isEarly`: Whether the object is going to be made later.
    mutating func take(
        _ rowClass: RowClass, for primaryKey: StoredPrimaryKey, isEarly: Bool,
        _ counters: inout ClassCounters
    ) throws(StoreError) -> UInt64 {
        if isEarly { order.isTracking = true }
        var key = reserved.isEmpty ? nil : reserved[Array(primaryKey.bytes)]
        // The class may have gone and come again since.
        if let reserved = key, try !isFree(reserved, rowClass) { key = nil }
        let taken: UInt64
        if let key { taken = key } else { taken = try take(rowClass, &counters) }
        try map(primaryKey, rowClass, to: taken, &counters)
        return taken
    }

    /// Maps a primary key to an object key.
    func map(
        _ primaryKey: StoredPrimaryKey, _ rowClass: RowClass, to key: UInt64,
        _ counters: inout ClassCounters
    ) throws(StoreError) {
        var value = key.bigEndian
        withUnsafeBytes(of: &value) { _ = group.overlay.put(primaryKey.bytes, $0) }
        try noteNumber(primaryKey, rowClass, &counters)
    }

    /// Notes that an object is being made.
    mutating func made(_ key: UInt64, _ rowClass: RowClass) {
        order.note(key, ofClass: rowClass.index)
    }

    // MARK: Reserved keys

    /// Takes an object key for a later transaction, see ``WriteTransaction/reserveKey(_:primaryKey:)``.
    mutating func reserve(
        _ rowClass: RowClass, _ counters: inout ClassCounters
    ) throws(StoreError) -> UInt64 {
        hasReserved = true
        let key = try take(rowClass, &counters)
        made(key, rowClass)
        return key
    }

    /// Has an object get a key that was reserved for it. The first key that is stated for a primary key counts.
    mutating func use(_ key: UInt64, for primaryKey: StoredPrimaryKey) {
        let stored = Array(primaryKey.bytes)
        if reserved[stored] == nil { reserved[stored] = key }
    }

    /// Whether a reserved key is one of the class's that no object has.
    func isFree(_ key: UInt64, _ rowClass: RowClass) throws(StoreError) -> Bool {
        guard try key < group.classState(rowClass).nextKey else { return false }
        return try group.row(rowClass, key) == nil
    }

    // MARK: Numbers

    /// The number that a new object of a class gets as its primary key: greater than the keys of all objects since the class
    /// numbers them, and of the earlier objects.
    ///
    /// The number counts as used once it is mapped.
    ///
    /// - Throws: ``StoreError`` `.numbersExhausted` if the type of the key has no greater one.
    func nextNumber(_ rowClass: RowClass) throws(StoreError) -> Int64 {
        let range = rowClass.primaryKeyRange ?? 0...0
        let used = try greatestNumber(rowClass)
        guard used < range.upperBound else {
            throw .numbersExhausted(
                className: rowClass.definition.name, property: rowClass.definition.primaryKey ?? "",
                limit: range.upperBound)
        }
        return used + 1
    }

    /// Notes that a primary key is in use, in a class that numbers its objects or did so before. Cost for
    /// other classes: a look at the counters.
    private func noteNumber(
        _ primaryKey: StoredPrimaryKey, _ rowClass: RowClass, _ counters: inout ClassCounters
    ) throws(StoreError) {
        let noted = try group.classState(rowClass).greatestNumber
        guard rowClass.numbersKeys || noted != nil, rowClass.primaryKeyRange != nil,
            let number = primaryKey.number
        else { return }
        let used = try greatestNumber(rowClass)
        guard number > used || noted == nil else { return }
        try counters.change(rowClass) { $0.greatestNumber = max(number, used) }
    }

    /// The greatest number in use so far: the counter, or the greatest primary key that was stored before the class numbered its
    /// objects.
    private func greatestNumber(_ rowClass: RowClass) throws(StoreError) -> Int64 {
        if let number = try group.classState(rowClass).greatestNumber { return number }
        let buffer = ByteBuffer(capacity: 16)
        StoreKey.appendPrimaryKeyPrefix(rowClass, to: buffer)
        let range = KeyRange(prefix: buffer.array)
        var greatest: Int64 = 0
        // The group's own objects come in order too, and the counter exists once the group has added an object while the class
        // numbers its objects.
        try group.snapshot.walk(range, reversed: true, expecting: 1) { key, _ in
            greatest = max(greatest, StoredPrimaryKey(bytes: key).number ?? 0)
            return false
        }
        return greatest
    }

    // MARK: Taking back

    /// The number of objects that are noted as made.
    var madeCount: Int { order.count }

    /// Forgets the objects that were made since there were `count`.
    mutating func rollBack(to count: Int) { order.truncate(to: count) }

    /// Forgets everything.
    mutating func removeAll() {
        hasReserved = false
        if !reserved.isEmpty { reserved.removeAll() }
        order.removeAll()
    }

    /// The maker for a second run that gives keys in the order of the objects; nil if they are in order,
    /// and in the second run itself.
    func corrected(_ counters: ClassCounters) -> KeyMaker? {
        guard let corrected = order.corrected(firstKey: counters.firstKey) else { return nil }
        var maker = KeyMaker(group)
        maker.order = corrected
        return maker
    }
}
