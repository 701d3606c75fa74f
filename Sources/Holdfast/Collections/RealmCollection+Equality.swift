extension Results: Equatable {
    /// Whether both are one query: the same condition and order, of the same class or collection of one realm.
    public static func == (a: Results, b: Results) -> Bool {
        QueriedElements.isSame(a.core, b.core)
    }
}

extension MutableSet: Equatable {
    /// Whether two sets have equal elements, or, managed, are one set of one object.
    public static func == (a: MutableSet, b: MutableSet) -> Bool {
        if let x = a.place, let y = b.place { return x.isSame(as: y) }
        return a.place == nil && b.place == nil && a.count == b.count && a.isSubset(of: b)
    }
}

extension Map: Equatable {
    /// Whether two maps have equal entries, or, managed, are one map of one object.
    public static func == (a: Map, b: Map) -> Bool {
        if let x = a.place, let y = b.place { return x.isSame(as: y) }
        return a.place == nil && b.place == nil && a.keys == b.keys && a.values == b.values
    }
}

extension LinkingObjects: Equatable {
    /// Whether both are one inverse link of one object.
    public static func == (a: LinkingObjects, b: LinkingObjects) -> Bool {
        if let x = a.place, let y = b.place { return x.isSame(as: y) }
        return a === b
    }
}

extension AnyRealmCollection: Equatable {
    /// Whether both stand for one collection of one object, or one query; unmanaged, for equal elements.
    public static func == (a: AnyRealmCollection, b: AnyRealmCollection) -> Bool {
        if let x = a._queried.core, let y = b._queried.core { return QueriedElements.isSame(x, y) }
        return a.realm == nil && b.realm == nil && a.elementsEqual(b)
    }
}
