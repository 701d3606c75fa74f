extension RealmCollection {
    /// The position of an element; nil where it is not there. Objects are found by what they are, not by their values.
    ///
    /// Cost: linear.
    public func index(of object: Element) -> Int? {
        guard let sought = object as? ObjectBase else { return firstIndex(of: object) }
        if let core = _queried.core, core.hasObjectKeys {
            guard let place = sought.place, place.owners.isEmpty, place.realm === core.realm,
                place.rootClass.index == core.binding.rowClass.index
            else { return nil }
            return core.keys.firstIndex(of: place.key)
        }
        return _all.firstIndex { (($0 as Any) as? ObjectBase)?.isSameObject(as: sought) ?? false }
    }

    /// The elements at some positions; one beyond the end ends the process.
    public func objects(at indexes: IndexSet) -> [Element] { indexes.map { self[$0] } }

    /// The value of a property of each object, in order, null as `NSNull`; `self` are the elements themselves.
    public func value(forKey key: String) -> Any? {
        _all.map { element -> Any in
            guard key != "self" else { return element }
            return Self.object(element, key)?.value(forKey: key) ?? NSNull()
        }
    }

    /// Gives a property of each object a value, as of ``ObjectBase/setValue(_:forKey:)``.
    public func setValue(_ value: Any?, forKey key: String) {
        for element in _all { Self.object(element, key)?.setValue(value, forKey: key) }
    }

    /// An element as an object; nil for null, such as a map has.
    private static func object(_ element: Element, _ key: String) -> ObjectBase? {
        guard let element = StatedValues.unwrapped(element) else { return nil }
        guard let object = element as? ObjectBase else {
            Misuse.end("A value of type '\(Element.self)' has no property '\(key)'.")
        }
        return object
    }

    /// The elements, one behind the other; of many the first 100.
    public var description: String { CollectionText.describe("\(Self.self)", self) { "\($0)" } }
}
