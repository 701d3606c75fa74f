import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows
import HoldfastStorage

/// The key space of a store. Numbers are big-endian, so that key order is number order.
///
///     00 'F'                                     format marker, see ``StoreFormat``
///     00 'S'                                     state, see ``StoreState``
///     00 'C'                                     catalog, see ``Catalog``
///     00 'M'                                     the rest of schema changes, see ``MigrationRecord``;
///                                                mostly absent
///     00 'R'                                     counters of idempotency records, see ``IdempotencyCounters``
///     00 'n' number:8                            identifier of an idempotency record and its owner, see
///                                                ``IdempotencyNumber``; the oldest first
///     00 'o' share:8 number:8                    idempotency record of a share, empty; the oldest first, see
///                                                ``IdempotencyOwner``
///     00 'q' share:8                             bytes of a share's idempotency records, 8 bytes little-endian
///     00 'r' identifier:32                       idempotency record, see ``IdempotencyRecord``
///     00 'A'                                     the single values of access, see ``AccessRecord``
///     00 'D'                                     access document, see ``StoredDocument``; mostly absent
///     00 't' number:8                            token, see ``TokenRecord``
///     00 'u' id                                  barred user, see ``UserRecord``; other users have no entry
///     00 'a' account:16                          account, see ``AccountRecord``
///     00 'l' login                               account:16; the login as it is looked up
///     00 's' account:16 hash:32                  session, see ``SessionRecord``
///     01 class:4                                 class state, see ``ClassState``
///     02 key space:4 primary key                 object:8; the key as an `OrderedKey`
///     03 property:4 value object:8               index entry, empty; the value as an `OrderedKey`; of a unique
///                                                group its number and a hash, of a full-text index its
///                                                number and a word, of a geographic one its number and a
///                                                cell, see ``IndexEntry``
///     04 class:4 object:8 property:4 class:4 object:8
///                                                inverse link: target, property, origin; the value is
///                                                the number of links, four bytes little-endian
///     05 class:4 object:8 version:8 value:4 chunk:4
///                                                chunk of an out-of-line value or collection, see
///                                                `OverflowReference`: the object that holds it; the version
///                                                and a number that name the value; the chunk's number
///     06 version:8                               change log entry, see ``ChangeLogEntry``
///     07 row space:4 object:8                    row, see `RowLayout`
///
/// Rows come last, because new ones are appended: LMDB fills a page where keys rise at the end of all, and
/// without a search. Where they rise before others, only long runs fill their pages.
///
/// Classes and properties are written by their numbers, which are never reused. A class's row space and key space have its own
/// number, until a migration writes its rows or its primary keys again: then they have numbers that no class has.
package enum StoreKey {
    /// The first byte of each kind of key.
    package enum Tag {
        package static let meta: UInt8 = 0
        package static let classState: UInt8 = 1
        package static let primaryKey: UInt8 = 2
        package static let index: UInt8 = 3
        package static let inverseLink: UInt8 = 4
        package static let overflow: UInt8 = 5
        package static let changeLog: UInt8 = 6
        package static let row: UInt8 = 7
    }

    static let format: [UInt8] = [Tag.meta, UInt8(ascii: "F")]
    static let state: [UInt8] = [Tag.meta, UInt8(ascii: "S")]
    static let catalog: [UInt8] = [Tag.meta, UInt8(ascii: "C")]

    static let migration: [UInt8] = [Tag.meta, UInt8(ascii: "M")]
    static let recordCounters: [UInt8] = [Tag.meta, UInt8(ascii: "R")]
    static let recordNumberPrefix: [UInt8] = [Tag.meta, UInt8(ascii: "n")]
    static let recordOrderPrefix: [UInt8] = [Tag.meta, UInt8(ascii: "o")]
    static let recordSharePrefix: [UInt8] = [Tag.meta, UInt8(ascii: "q")]
    static let recordPrefix: [UInt8] = [Tag.meta, UInt8(ascii: "r")]
    static let access: [UInt8] = [Tag.meta, UInt8(ascii: "A")]
    static let accessDocument: [UInt8] = [Tag.meta, UInt8(ascii: "D")]
    static let userPrefix: [UInt8] = [Tag.meta, UInt8(ascii: "u")]
    static let tokenPrefix: [UInt8] = [Tag.meta, UInt8(ascii: "t")]
    static let accountPrefix: [UInt8] = [Tag.meta, UInt8(ascii: "a")]
    static let loginPrefix: [UInt8] = [Tag.meta, UInt8(ascii: "l")]
    static let sessionPrefix: [UInt8] = [Tag.meta, UInt8(ascii: "s")]

    /// The bytes of the key of a reply's number, of its place in a share, and of a reply's own.
    static let recordNumberByteCount = 10
    static let recordOrderByteCount = 18
    static let recordKeyByteCount = 2 + IdempotencyRecord.idByteCount

    /// The bytes of a token's key, of an account's and of a session's.
    static let tokenByteCount = 10
    static let accountByteCount = 18
    static let sessionByteCount = 50

    /// The bytes of a row's key.
    static let rowByteCount = 13

    static func appendClassState(_ number: UInt32, to buffer: ByteBuffer) {
        buffer.append(Tag.classState)
        buffer.append(big: number)
    }

    static func appendRowPrefix(_ rowClass: RowClass, to buffer: ByteBuffer) {
        buffer.append(Tag.row)
        buffer.append(big: rowClass.rowSpace)
    }

    static func appendRow(_ rowClass: RowClass, _ key: UInt64, to buffer: ByteBuffer) {
        appendRowPrefix(rowClass, to: buffer)
        buffer.append(big: key)
    }

    static func appendPrimaryKeyPrefix(_ rowClass: RowClass, to buffer: ByteBuffer) {
        buffer.append(Tag.primaryKey)
        buffer.append(big: rowClass.keySpace)
    }

    /// Appends the key of the primary key of a row.
    ///
    /// - `member`: The property that is the primary key.
    static func appendPrimaryKey(
        of row: RowView, _ rowClass: RowClass, _ member: Int, to buffer: ByteBuffer
    ) {
        appendPrimaryKeyPrefix(rowClass, to: buffer)
        OrderedKey.append(
            rowClass.field(member, in: row), rowClass.members[member].storage.element, to: buffer)
    }

    static func appendIndexPrefix(_ propertyNumber: UInt32, to buffer: ByteBuffer) {
        buffer.append(Tag.index)
        buffer.append(big: propertyNumber)
    }

    /// Makes a primary key's or an index entry's key, or a bound of some: a tag, a number and a value's bytes.
    static func key(_ tag: UInt8, _ number: UInt32, _ value: [UInt8]) -> [UInt8] {
        value.withUnsafeBytes { value in
            [UInt8](unsafeByteCount: 5 + value.count) { bytes in
                bytes[0] = tag
                bytes.storeBytes(of: number.bigEndian, toByteOffset: 1, as: UInt32.self)
                UnsafeMutableRawBufferPointer(rebasing: bytes[5...]).copyMemory(from: value)
            }
        }
    }

    static func appendInversePrefix(_ classNumber: UInt32, _ key: UInt64, to buffer: ByteBuffer) {
        buffer.append(Tag.inverseLink)
        buffer.append(big: classNumber)
        buffer.append(big: key)
    }

    /// Appends the key of an inverse link from an object.
    static func appendInverse(
        _ link: LinkKind, _ rows: RowSchema, _ origin: RowClass, _ originKey: UInt64,
        to buffer: ByteBuffer
    ) {
        appendInversePrefix(rows.classes[link.targetClass].number, link.targetKey, to: buffer)
        buffer.append(big: link.property)
        buffer.append(big: origin.number)
        buffer.append(big: originKey)
    }

    /// Returns the keys of a class's rows behind that of an object.
    static func rows(_ rowClass: RowClass, after key: UInt64) -> KeyRange {
        let buffer = ByteBuffer(capacity: 16)
        appendRowPrefix(rowClass, to: buffer)
        let prefix = buffer.array
        buffer.append(big: key + 1)
        return KeyRange(lower: buffer.array, upper: KeyRange.successor(ofPrefix: prefix))
    }

    /// Appends the prefix of the keys of an object's out-of-line values.
    static func appendOverflowPrefix(_ classNumber: UInt32, _ key: UInt64, to buffer: ByteBuffer) {
        buffer.append(Tag.overflow)
        buffer.append(big: classNumber)
        buffer.append(big: key)
    }

    static func appendChangeLog(_ version: UInt64, to buffer: ByteBuffer) {
        buffer.append(Tag.changeLog)
        buffer.append(big: version)
    }

    static func appendRecord(_ id: [UInt8], to buffer: ByteBuffer) {
        buffer.append(recordPrefix)
        buffer.append(id)
    }

    static func appendRecordNumber(_ number: UInt64, to buffer: ByteBuffer) {
        buffer.append(recordNumberPrefix)
        buffer.append(big: number)
    }

    static func appendRecordOrder(_ share: UInt64, _ number: UInt64? = nil, to buffer: ByteBuffer) {
        buffer.append(recordOrderPrefix)
        buffer.append(big: share)
        if let number { buffer.append(big: number) }
    }

    static func appendRecordShare(_ share: UInt64, to buffer: ByteBuffer) {
        buffer.append(recordSharePrefix)
        buffer.append(big: share)
    }

    static func appendUser(_ id: String, to buffer: ByteBuffer) {
        buffer.append(userPrefix)
        buffer.append(id)
    }

    static func appendToken(_ number: UInt64, to buffer: ByteBuffer) {
        buffer.append(tokenPrefix)
        buffer.append(big: number)
    }

    static func append(_ id: UUID128, to buffer: ByteBuffer) {
        buffer.append(big: id.high)
        buffer.append(big: id.low)
    }

    static func appendAccount(_ id: UUID128, to buffer: ByteBuffer) {
        buffer.append(accountPrefix)
        append(id, to: buffer)
    }

    /// Appends the key of a login in any case.
    static func appendLogin(_ login: String, to buffer: ByteBuffer) {
        buffer.append(loginPrefix)
        buffer.append(AccountRecord.key(login))
    }

    /// Appends the key of a session; without a hash the prefix of an account's sessions.
    static func appendSession(_ hash: [UInt8], of account: UUID128, to buffer: ByteBuffer) {
        buffer.append(sessionPrefix)
        append(account, to: buffer)
        buffer.append(hash)
    }

    /// Returns the id of an account that stands in a key or a value; nil when there are too few bytes.
    static func accountID(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UUID128? {
        guard bytes.count >= offset + 16 else { return nil }
        func number(_ offset: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        return UUID128(high: number(offset), low: number(offset + 8))
    }

    static func bytes(_ write: (ByteBuffer) -> Void) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 64)
        write(buffer)
        return buffer.array
    }

    /// Returns the object key that a primary key leads to, from its value; nil when that is damaged.
    static func mappedObjectKey(_ value: UnsafeRawBufferPointer) -> UInt64? {
        value.count == 8 ? UInt64(bigEndian: value.loadUnaligned(as: UInt64.self)) : nil
    }

    /// Returns the object key that ends a row's, an index entry's or an inverse link's key.
    static func trailingObjectKey(_ key: UnsafeRawBufferPointer) -> UInt64 {
        key.count < 8
            ? 0
            : UInt64(bigEndian: key.loadUnaligned(fromByteOffset: key.count - 8, as: UInt64.self))
    }
}

extension ByteBuffer {
    /// Replaces the contents by the bytes that `write` appends, and returns them.
    func making(_ write: (ByteBuffer) -> Void) -> UnsafeRawBufferPointer {
        removeAll()
        write(self)
        return bytes
    }
}

/// The property that holds a link, and the link's target.
struct LinkKind: Hashable {
    var property: UInt32
    var targetClass: Int
    var targetKey: UInt64

    /// Negative, zero or positive as it comes before, is, or comes after another.
    func order(_ other: LinkKind) -> Int {
        if targetKey != other.targetKey { return targetKey < other.targetKey ? -1 : 1 }
        if property != other.property { return property < other.property ? -1 : 1 }
        return targetClass - other.targetClass
    }
}

extension RowSchema {
    /// Counts the links of each kind that an object has.
    func linkCounts(
        of rowClass: RowClass, in row: RowView, _ source: any OverflowSource
    ) -> [LinkKind: UInt32] {
        var counts: [LinkKind: UInt32] = [:]
        forEachLink(of: rowClass, in: row, source) { property, targetClass, targetKey in
            let kind = LinkKind(property: property, targetClass: targetClass, targetKey: targetKey)
            counts[kind, default: 0] += 1
        }
        return counts
    }
}
