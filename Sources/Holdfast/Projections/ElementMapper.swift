/// The properties of a list's or set's objects, each as a collection.
///
///     person.friends.projectTo.firstName  // ProjectedCollection<String>
@dynamicMemberLookup
public struct ElementMapper<Element: ObjectBase> {
    private let collection: any RealmCollection<Element>

    init(_ collection: any RealmCollection<Element>) { self.collection = collection }

    /// The values at the end of a key path from each object.
    public subscript<Value>(dynamicMember member: KeyPath<Element, Value>)
        -> ProjectedCollection<Value>
    {
        // The dependencies of a projection are noted for one object, which answers for all objects.
        if KeyPathTrace.isTracing, let any = collection.first {
            KeyPathTrace.note(
                any,
                paths: KeyPathNames.paths(of: member, from: Element.self) {
                    _ = Element._of($0)[keyPath: member]
                })
        }
        return ProjectedCollection(collection, member)
    }
}

extension List where Element: ObjectBase {
    /// Gives access to the properties of each object.
    public var projectTo: ElementMapper<Element> { ElementMapper(self) }
}

extension MutableSet where Element: ObjectBase {
    /// Gives access to the properties of each object.
    public var projectTo: ElementMapper<Element> { ElementMapper(self) }
}
