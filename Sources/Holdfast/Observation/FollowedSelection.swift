import HoldfastObjectStore
import HoldfastRows

/// The elements of a collection that meet a condition, in an order: all of them are kept, and compared.
final class FollowedSelection: FollowedCollection {
    /// An element: the object that it links to, or its value, and which of the equal ones it is.
    private struct Identity: Hashable {
        let bytes: [UInt8]
        let occurrence: Int
    }

    private let results: ResultsCore
    /// The paths that are observed of the elements; nil for values.
    private let paths: ObservedPaths?
    private var elements: [Identity] = []

    init(_ results: ResultsCore, _ paths: ObservedPaths?) {
        self.results = results
        self.paths = paths
    }

    func load(in view: ReadTransaction) -> Bool {
        if results.isInvalidated || results.base.isInvalidated { return false }
        elements = present
        return true
    }

    func advance(_ step: RealmStep) throws(StoreError) -> ListDifference {
        let old = elements
        elements = present
        var changed: Set<[UInt8]> = []
        if let paths, results.hasObjectKeys, let changes = step.changes {
            for key in paths.shown(in: results.realm.schema).changes(in: changes).keys {
                changed.insert(Self.bytes(of: key))
            }
        }
        var numbers: [Identity: UInt64] = [:]
        func number(_ identity: Identity) -> UInt64 {
            if let known = numbers[identity] { return known }
            let next = UInt64(numbers.count)
            numbers[identity] = next
            return next
        }
        let (before, after) = (old.map(number), elements.map(number))
        let moving = Set(numbers.lazy.filter { changed.contains($0.key.bytes) }.map(\.value))
        return ListDifference(from: before, to: after, changed: moving, moving: moving)
    }

    private var present: [Identity] {
        var counts: [[UInt8]: Int] = [:]
        return results.keys.map { key in
            let bytes = bytes(of: key)
            let occurrence = counts[bytes, default: 0]
            counts[bytes] = occurrence + 1
            return Identity(bytes: bytes, occurrence: occurrence)
        }
    }

    private func bytes(of key: UInt64) -> [UInt8] {
        if case .origins(let place) = results.base, let origins = place.embedded {
            let row = origins[Int(key)].row(in: results.realm.view)
            return row.map { [1] + $0.bytes } ?? [0]
        }
        guard case .elements(let place) = results.base else { return Self.bytes(of: key) }
        let element = place.collection.element(Int(key))
        // Those of null are none of a value.
        guard let (part, offset) = element, !part.isNull(offset) else { return [0] }
        return [1] + part.bytes(offset)
    }

    private static func bytes(of key: UInt64) -> [UInt8] {
        withUnsafeBytes(of: key) { Array($0) }
    }
}
