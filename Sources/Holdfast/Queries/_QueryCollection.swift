/// A collection as queries see it: `List`, `MutableSet` and `LinkingObjects`, and the values of a `Map`.
public protocol _QueryCollection: _Persistable {
    /// The type of the elements.
    associatedtype QueryElement: RealmCollectionValue
}

extension List: _QueryCollection {
    /// The type of the elements.
    public typealias QueryElement = Element
}
extension MutableSet: _QueryCollection {
    /// The type of the elements.
    public typealias QueryElement = Element
}
extension LinkingObjects: _QueryCollection {
    /// The type of the elements.
    public typealias QueryElement = Element
}
extension Map: _QueryCollection {
    /// The type of the values.
    public typealias QueryElement = Value
}
