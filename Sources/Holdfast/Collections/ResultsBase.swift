/// The source of results, before conditions and an order.
enum ResultsBase {
    /// All objects of a class. Identified by the class, because tables move between versions of the schema.
    case all(ModelClass)
    /// The objects that a list, set or map links to. The key of a null in a map is ``null``.
    case links(CollectionReference)
    /// The values or embedded objects of a list, set or map, by their positions in it.
    case elements(CollectionReference)
    /// The objects that link to an object.
    case origins(OriginReference)

    /// Instead of the key of an object, which is at least 1: a null.
    static let null: UInt64 = 0

    /// The elements of a managed collection.
    init(_ place: CollectionReference) {
        self = place.compiled.storage.element == .link ? .links(place) : .elements(place)
    }

    /// Whether the object with the collection is gone.
    var isInvalidated: Bool {
        switch self {
        case .all: false
        case .links(let place), .elements(let place): place.isInvalidated
        case .origins(let place): place.object.isInvalidated
        }
    }
}

extension ResultsBase: Equatable {
    /// Whether both are the same class, or the same collection of one object.
    static func == (a: ResultsBase, b: ResultsBase) -> Bool {
        switch (a, b) {
        case (.all(let x), .all(let y)): x === y
        case (.links(let x), .links(let y)), (.elements(let x), .elements(let y)): x.isSame(as: y)
        case (.origins(let x), .origins(let y)): x.isSame(as: y)
        default: false
        }
    }
}
