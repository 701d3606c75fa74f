import HoldfastBytes
import HoldfastObjectModel

/// A `mixed` value read in place.
///
///     offset  bytes  field
///     0       1      ``MixedKind``
///     1       …      payload: a plain value as ``ElementStorage`` has it; of a link the target's class
///                    number, four bytes, and its object key, eight; of a list or map as follows
///
///     list    4      element count n
///             4·n    where each element ends, from the end of this table
///             …      the elements, each a value like this one
///     map     4      entry count n
///             8·n    where each key and each value ends, four bytes each, from the end of this table
///             …      key, value, key, value, …; the keys in the order of their bytes, each once
///
/// An element is found without reading the ones before it, a key by binary search. Null has one byte within lists and maps;
/// elsewhere it is the null of the row or collection that holds the value. Reads stay within the bytes: damaged bytes are read as
/// null or as empty.
package struct MixedView {
    /// The whole value.
    package let bytes: UnsafeRawBufferPointer

    static let payloadOffset = 1
    /// The offset of the table of a list or map.
    static let tableOffset = 5
    /// The offset of the object key of a link.
    static let linkKeyOffset = 5

    /// A view of stored bytes; null if there are no bytes.
    package init(_ bytes: UnsafeRawBufferPointer?) { self.bytes = bytes ?? Self.nothing }

    /// The kind of value; null if the bytes are too short for their kind.
    package var kind: MixedKind {
        guard let tag = bytes.first, let kind = MixedKind(rawValue: tag) else { return .null }
        let byteCount = bytes.count - Self.payloadOffset
        if let expected = kind.payloadByteCount { return byteCount >= expected ? kind : .null }
        return kind
    }

    package var isNull: Bool { kind == .null }

    /// The payload: a plain value, encoded as in ``ElementStorage``.
    package var payload: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes.dropFirst(Self.payloadOffset))
    }

    /// The target of a link; nil for other values.
    package var link: (classNumber: UInt32, key: UInt64)? {
        guard kind == .link else { return nil }
        return (
            bytes.loadUnaligned(fromByteOffset: Self.payloadOffset, as: UInt32.self),
            bytes.loadUnaligned(fromByteOffset: Self.linkKeyOffset, as: UInt64.self)
        )
    }

    /// The number of elements of a list or entries of a map; 0 for other values.
    package var count: Int {
        let slotCount: Int
        switch kind {
        case .list: slotCount = 1
        case .map: slotCount = 2
        default: return 0
        }
        guard bytes.count >= Self.tableOffset else { return 0 }
        let count = Int(bytes.loadUnaligned(fromByteOffset: Self.payloadOffset, as: UInt32.self))
        return count <= (bytes.count - Self.tableOffset) / (4 * slotCount) ? count : 0
    }

    /// Returns the element of a list, or the value of a map's entry, at an index; null if the index is out of bounds. Cost:
    /// constant.
    package func element(_ index: Int) -> MixedView {
        let count = count
        guard index >= 0, index < count else { return MixedView(nil) }
        return kind == .list
            ? MixedView(part(index, slotCount: count))
            : MixedView(part(2 * index + 1, slotCount: 2 * count))
    }

    /// Returns the key of a map's entry; empty if the index is out of bounds. Cost: constant.
    package func key(_ index: Int) -> UnsafeRawBufferPointer {
        let count = count
        guard kind == .map, index >= 0, index < count else { return Self.nothing }
        return part(2 * index, slotCount: 2 * count)
    }

    /// Finds the position of a key in a map; nil if the map lacks it. Cost: logarithmic.
    package func index(ofKey key: UnsafeRawBufferPointer) -> Int? {
        guard kind == .map else { return nil }
        let found = find(key: key)
        return found.isThere ? found.index : nil
    }

    /// Finds the position of a key's entry in a map, or the position to insert it. Cost: logarithmic.
    func find(key: UnsafeRawBufferPointer) -> (index: Int, isThere: Bool) {
        let count = count
        let index = partitionPoint(count) {
            compareKeys(part(2 * $0, slotCount: 2 * count), key) < 0
        }
        return (index, index < count && compareKeys(self.key(index), key) == 0)
    }

    private static var nothing: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: nil, count: 0)
    }

    private func end(_ slot: Int) -> Int {
        Int(bytes.loadUnaligned(fromByteOffset: Self.tableOffset + 4 * slot, as: UInt32.self))
    }

    /// Returns the bytes of a part, which ends at the offset in the table's slot.
    ///
    /// - `slotCount`: The number of slots of the table; they lie within the bytes.
    private func part(_ slot: Int, slotCount: Int) -> UnsafeRawBufferPointer {
        let start = Self.tableOffset + 4 * slotCount
        let from = slot == 0 ? 0 : end(slot - 1)
        let to = end(slot)
        guard from <= to, to <= bytes.count - start else { return Self.nothing }
        return UnsafeRawBufferPointer(rebasing: bytes[(start + from)..<(start + to)])
    }

    /// Finds the part of a list or map that contains an offset: its position and its start. Nil for other values and for an
    /// offset outside. Cost: logarithmic.
    func child(at offset: Int) -> (index: Int, start: Int)? {
        let count = count
        guard count > 0 else { return nil }
        let stride = kind == .list ? 1 : 2
        let start = Self.tableOffset + 4 * stride * count
        let inner = offset - start
        let index = partitionPoint(count) { end(stride * $0 + stride - 1) <= inner }
        guard inner >= 0, index < count else { return nil }
        let slot = stride * index + stride - 1
        return (index, start + (slot == 0 ? 0 : end(slot - 1)))
    }

    /// Passes every link of the value to `body`, including links in lists and maps. A target is passed once for each link to it.
    /// Cost: linear.
    package func forEachLink(_ body: (_ classNumber: UInt32, _ key: UInt64) -> Void) {
        forEachLink(depth: 0, body)
    }

    private func forEachLink(depth: Int, _ body: (UInt32, UInt64) -> Void) {
        if let link { return body(link.classNumber, link.key) }
        guard depth < ModelLimits.mixedDepthMax else { return }
        for index in 0..<count { element(index).forEachLink(depth: depth + 1, body) }
    }
}

extension MixedView {
    /// A number of any kind; nil for other values.
    package var number: MixedNumber? {
        guard let address = payload.baseAddress else { return nil }
        switch kind {
        case .int: return MixedNumber(address.storedInt)
        case .double: return MixedNumber(address.storedDouble)
        case .float: return MixedNumber(Double(address.storedFloat))
        case .decimal: return MixedNumber(address.storedDecimal)
        default: return nil
        }
    }

    /// Returns the order of two values, which sets use for sorting and for equality: negative, 0 or positive.
    ///
    /// Kinds are in the order of ``MixedKind/rank``. Numbers of all kinds compare exactly, so 1, 1.0 and the decimal 1 are equal.
    /// Lists compare element by element, maps entry by entry, key before value.
    ///
    /// - `depth`: The number of lists and maps around the values. Damaged values that nest too deeply count as equal.
    package static func order(_ a: MixedView, _ b: MixedView, depth: Int = 0) -> Int {
        let (x, y) = (a.kind, b.kind)
        if x.rank != y.rank { return Int(x.rank) - Int(y.rank) }
        switch x {
        case .null: return 0
        case .int, .double, .float, .decimal:
            guard let left = a.number, let right = b.number else { return 0 }
            return left < right ? -1 : left == right ? 0 : 1
        case .bool, .string, .data, .objectID, .uuid: return compareKeys(a.payload, b.payload)
        case .date:
            guard let left = a.payload.baseAddress, let right = b.payload.baseAddress else {
                return 0
            }
            return left.storedDate < right.storedDate
                ? -1 : left.storedDate == right.storedDate ? 0 : 1
        case .link:
            guard let left = a.link, let right = b.link else { return 0 }
            return left < right ? -1 : left == right ? 0 : 1
        case .list, .map:
            guard depth < ModelLimits.mixedDepthMax else { return 0 }
            let (left, right) = (a.count, b.count)
            for index in 0..<min(left, right) {
                if x == .map {
                    let order = compareKeys(a.key(index), b.key(index))
                    if order != 0 { return order }
                }
                let order = order(a.element(index), b.element(index), depth: depth + 1)
                if order != 0 { return order }
            }
            return left - right
        }
    }

    /// Returns the fault of the bytes, worded as a predicate that begins with "is" or "has"; nil if they are valid.
    ///
    /// - `depth`: The number of lists and maps around the value.
    package func fault(depth: Int = 0) -> String? {
        guard let tag = bytes.first, let kind = MixedKind(rawValue: tag) else {
            return "has a value of no known kind"
        }
        if let expected = kind.payloadByteCount, payload.count != expected {
            return "has a value of the wrong length"
        }
        switch kind {
        case .bool: return payload[0] > 1 ? "has a bool that is neither true nor false" : nil
        case .string:
            return String(validating: payload, as: UTF8.self) == nil
                ? "has a string that is no UTF-8" : nil
        case .date:
            let nanoseconds = payload.loadUnaligned(fromByteOffset: 8, as: Int32.self)
            return (0..<1_000_000_000).contains(nanoseconds)
                ? nil : "has a date with nanoseconds out of range"
        case .list, .map: return faultOfParts(kind, depth: depth)
        default: return nil
        }
    }

    private func faultOfParts(_ kind: MixedKind, depth: Int) -> String? {
        guard depth < ModelLimits.mixedDepthMax else { return "nests too deep" }
        let stride = kind == .list ? 1 : 2
        guard bytes.count >= Self.tableOffset else { return "has a damaged list or map" }
        let count = count
        let stated = bytes.loadUnaligned(fromByteOffset: Self.payloadOffset, as: UInt32.self)
        guard count == Int(stated) else { return "has a damaged list or map" }
        var last = 0
        for slot in 0..<(count * stride) {
            let end = Int(
                bytes.loadUnaligned(fromByteOffset: Self.tableOffset + 4 * slot, as: UInt32.self))
            if end < last { return "has a damaged list or map" }
            last = end
        }
        if Self.tableOffset + 4 * stride * count + last != bytes.count {
            return "has a damaged list or map"
        }
        for index in 0..<count {
            if kind == .map {
                if String(validating: key(index), as: UTF8.self) == nil {
                    return "has a key that is no UTF-8"
                }
                if MapKey.fault(of: key(index)) != nil { return "has a key that is not allowed" }
                if index > 0, compareKeys(key(index - 1), key(index)) >= 0 {
                    return "has its keys out of order"
                }
            }
            if let fault = element(index).fault(depth: depth + 1) { return fault }
        }
        return nil
    }
}

/// The position of a link in a `mixed` value, and the class that it leads to.
package struct MixedLinkPosition {
    /// The link's offset in the value. In a list or set of such values it is counted from the start of the first one.
    package var offset: Int
    /// The position of the target's class.
    package var classIndex: Int

    /// Makes a position.
    package init(offset: Int, classIndex: Int) {
        self.offset = offset
        self.classIndex = classIndex
    }
}
