import HoldfastBytes
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// Results of a collection. Its elements are walked, because a collection is small compared with a class.
extension ResultsCore {
    /// A limit that no text reaches in the bytes of an order.
    private static let textByteCountMax = 1 << 26

    /// An element while conditions and orders are applied.
    private struct Candidate {
        /// The object key. For a value or an embedded object, its position.
        let key: UInt64
        /// The object key for reading it. For an embedded object, the key of the owner.
        let reading: UInt64
        /// The row of an object; nil for null.
        var row: RowView?
        /// The bytes of a plain value; nil for null.
        var value: UnsafeRawBufferPointer?
    }

    /// Finds the elements of a collection. Cost: linear in it, and that of a sort.
    func selected(in view: StoreView) throws(StoreError) -> [UInt64] {
        let isBase = parts.predicate == nil && parts.suffixes.isEmpty
        if isBase { return baseKeys }
        view.limitFollowing(until: limits.deadlineMilliseconds)
        var candidates = candidates(in: view)
        // A map's nulls meet no condition and are not sorted.
        var nulls: [UInt64] = []
        if case .objects = root {
            if parts.predicate == nil { nulls = candidates.filter { $0.row == nil }.map(\.key) }
            candidates.removeAll { $0.row == nil }
        }
        if let matcher = parts.predicate?.makeMatcher(view.rows, source: view) {
            candidates.removeAll { element in
                guard let row = element.row else { return !matcher.matches(value: element.value) }
                return !matcher.matches(row: row, key: element.reading, source: view)
            }
        }
        return try view.checked { () throws(StoreError) in
            for suffix in parts.suffixes {
                switch suffix {
                case .limit(let count): candidates.removeLast(max(0, candidates.count - count))
                case .sort(let keys): sort(&candidates, by: keys, in: view)
                case .distinct(let keys): keepDistinct(&candidates, by: keys, in: view)
                }
            }
            return candidates.map(\.key) + nulls
        }
    }

    private var baseKeys: [UInt64] {
        switch base {
        case .all: []
        case .links(let place): place.linkKeys
        case .origins(let place): place.keys
        case .elements(let place): (0..<UInt64(place.collection.count)).map { $0 }
        }
    }

    private func candidates(in view: StoreView) -> [Candidate] {
        if case .origins(let place) = base, let origins = place.embedded {
            return origins.enumerated().map {
                Candidate(key: UInt64($0), reading: $1.key, row: $1.row(in: view))
            }
        }
        guard case .elements(let place) = base else {
            let rowClass = binding.rowClass
            return baseKeys.compactMap { key in
                if isNull(key) { return Candidate(key: key, reading: key) }
                return view.row(classIndex: rowClass.index, key: key).map {
                    Candidate(key: key, reading: key, row: $0)
                }
            }
        }
        let isEmbedded = place.scalar == nil
        let reading = place.object.place?.key ?? 0
        var candidates: [Candidate] = []
        place.collection.forEach(within: nil) { part, offset, index in
            let key = UInt64(index)
            let bytes = part.isNull(offset) ? nil : part.bytes(offset)
            candidates.append(
                isEmbedded
                    ? Candidate(key: key, reading: reading, row: bytes.flatMap { RowView($0) })
                    : Candidate(key: key, reading: reading, value: bytes))
            return true
        }
        return candidates
    }

    /// Sorts stably.
    private func sort(_ candidates: inout [Candidate], by keys: [SortKey], in view: StoreView) {
        let evaluator = SortEvaluator(keys, schema: view.rows)
        let buffer = ByteBuffer(capacity: 256)
        let encoded = candidates.map { element -> [UInt8] in
            buffer.removeAll()
            // Whole texts, so that comparing the bytes is enough.
            if let row = element.row {
                evaluator.append(
                    row: row, key: element.reading, source: view, to: buffer,
                    textByteCountMax: Self.textByteCountMax)
            } else {
                evaluator.append(
                    value: element.value, to: buffer, textByteCountMax: Self.textByteCountMax)
            }
            return buffer.array
        }
        let order = candidates.indices.sorted { a, b in
            if encoded[a].lexicographicallyPrecedes(encoded[b]) { return true }
            return a < b && encoded[a] == encoded[b]
        }
        candidates = order.map { candidates[$0] }
    }

    /// Keeps the first element of each combination of values.
    private func keepDistinct(
        _ candidates: inout [Candidate], by keys: [SortKey], in view: StoreView
    ) {
        let evaluator = SortEvaluator(keys.map { SortKey(path: $0.path) }, schema: view.rows)
        let buffer = ByteBuffer(capacity: 256)
        var seen: Set<[UInt8]> = []
        candidates.removeAll { element in
            buffer.removeAll()
            if let row = element.row {
                let isPart = evaluator.appendDistinct(
                    row: row, key: element.reading, source: view, to: buffer)
                if !isPart { return true }
            } else {
                evaluator.append(
                    value: element.value, to: buffer, textByteCountMax: Self.textByteCountMax)
            }
            return !seen.insert(buffer.array).inserted
        }
    }
}

extension CollectionReference {
    /// The keys of the objects that the collection links to.
    fileprivate var linkKeys: [UInt64] {
        var keys: [UInt64] = []
        collection.forEach(within: nil) { part, offset, _ in
            keys.append(part.isNull(offset) ? ResultsBase.null : part.pointer(offset).storedLink)
            return true
        }
        return keys
    }
}
