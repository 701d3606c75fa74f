/// The objects that link to an object through one property. The store maintains this inverse link.
///
/// An object that links twice is contained twice.
public final class LinkingObjects<Element: ObjectBase> {
    /// The location of the links; nil for an unmanaged object, which has no incoming links.
    let place: OriginReference?

    /// Makes an inverse link without objects, for an unmanaged object.
    init() { place = nil }

    init(_ place: OriginReference) { self.place = place }

    /// The realm of the object; nil for an unmanaged one.
    public var realm: Realm? { place?.object.realm }
    /// Whether the object is gone.
    public var isInvalidated: Bool { place?.object.isInvalidated ?? false }
}

extension LinkingObjects: RandomAccessCollection {
    /// The first position.
    public var startIndex: Int { 0 }
    /// The position after the last object.
    public var endIndex: Int { count }
    /// The number of links. Cost: linear in the number of links, once for each version.
    public var count: Int { place?.keys.count ?? 0 }

    /// The object at a position.
    public subscript(position: Int) -> Element {
        let keys = place?.keys ?? []
        guard let place, keys.indices.contains(position) else {
            Misuse.endOutOfBounds(position, keys.count)
        }
        return Element._of(place.origin(keys[position]))
    }

    /// Walks the present objects, unaffected by later writes.
    public func makeIterator() -> ResultsIterator<Element> {
        _queried.core.map { ResultsIterator($0) } ?? ResultsIterator([])
    }
}

extension LinkingObjects: _Persistable {
    /// The type in the schema.
    public static var _shape: PropertyShape { PropertyShape(.origins, Element._element) }
    /// The value of a property without a default.
    public static func _unset() -> LinkingObjects { LinkingObjects() }

    /// Reads a managed object's property.
    public static func _read(_ object: ObjectBase, _ position: FieldPosition) -> LinkingObjects {
        LinkingObjects(OriginReference(object, member: Int(position.member)))
    }

    /// Writes a managed object's property.
    public static func _assign(
        _ value: LinkingObjects, _ object: ObjectBase, _ position: FieldPosition
    ) {
        Misuse.end("Linking objects are kept by the store and can't be assigned.")
    }

    /// Returns a value that stands for a tracing instance's property.
    public static func _trace(_ object: ObjectBase, field: Int) -> LinkingObjects? {
        object.note(field)
        return LinkingObjects()
    }

    /// Adds a property's value to a draft.
    public static func _state(_ value: LinkingObjects, in statement: Statement) {}
}

extension Persisted {
    /// An inverse link of a property in the class that links here.
    ///
    /// - Parameter originProperty: The property that contains the link, by its name in its class.
    public init<Origin: ObjectBase>(originProperty: String) where Value == LinkingObjects<Origin> {
        self.init(FieldAttributes(), .origin(originProperty))
    }
}
