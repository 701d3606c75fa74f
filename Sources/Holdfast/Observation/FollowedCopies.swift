import HoldfastObjectStore
import HoldfastRows

/// The elements of a list within an `AnyRealmValue`: they are copied and compared, since its property tells nothing of it alone.
final class FollowedCopies: FollowedCollection {
    private let place: MixedPlace
    /// The stored bytes of the elements.
    private var elements: [[UInt8]] = []

    init(_ place: MixedPlace) { self.place = place }

    func load(in view: ReadTransaction) -> Bool {
        elements = place.copies
        return !place.isInvalidated
    }

    func advance(_ step: RealmStep) -> ListDifference {
        let old = elements
        elements = place.copies
        let linked = ElementChanges(.mixed, nil, step, place.realm)
        return Self.withPointers(old) { old in
            Self.withPointers(elements) { new in
                ListDifference(
                    from: old, to: new,
                    changed: new.indices.filter { index in
                        new[index].flatMap { linked?.contain($0) } ?? false
                    })
            }
        }
    }

    private static func withPointers<Result>(
        _ elements: [[UInt8]], _ body: ([UnsafeRawBufferPointer?]) -> Result
    ) -> Result {
        elements.flatMap(\.self).withUnsafeBytes { bytes in
            var start = 0
            return body(
                elements.map { element in
                    defer { start += element.count }
                    return UnsafeRawBufferPointer(rebasing: bytes[start..<(start + element.count)])
                })
        }
    }
}

extension MixedPlace {
    /// The stored bytes of the elements, or of a dictionary's values, of now; none of one that is gone.
    fileprivate var copies: [[UInt8]] {
        isInvalidated ? [] : (0..<count).map { Array(element($0).bytes) }
    }

    /// The entries of a dictionary of now, as stored bytes.
    var entries: [String: [UInt8]?] {
        Dictionary(
            zip(copies.indices.map(key), copies.map { .some($0) }),
            uniquingKeysWith: { first, _ in first })
    }
}
