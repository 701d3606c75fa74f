import HoldfastObjectModel

extension _Queried {
    /// The least value of a property; nil where there is none.
    public func min<T: _QueryOrdered>(ofProperty property: String) -> T? {
        aggregate(.min, property)
    }
    /// The greatest value of a property; nil where there is none.
    public func max<T: _QueryOrdered>(ofProperty property: String) -> T? {
        aggregate(.max, property)
    }
    /// The sum of a property's values; 0 of none.
    public func sum<T: _QueryAdded>(ofProperty property: String) -> T {
        aggregate(.sum, property) ?? T._unset()
    }
    /// The mean of a property's values; nil of none.
    public func average<T: _QueryAdded>(ofProperty property: String) -> T? {
        aggregate(.average, property)
    }

    /// By the core for objects of their own, else from their values.
    private func aggregate<T: _QueryOrdered>(
        _ function: AggregateFunction, _ property: String
    ) -> T? {
        if let core = _queried.core, core.hasObjectKeys {
            do { return T._aggregated(try core.aggregate(function, of: property)) } catch {
                Misuse.end(
                    "'\(function.rawValue)' can't be calculated of '\(property)': \(error.message)")
            }
        }
        return T._aggregated(
            ValueAggregate.result(function, _all.map { Self.value($0, property) }))
    }

    /// The value at the end of a path; nil on the way ends it.
    private static func value(_ element: Any, _ path: String) -> Any {
        path == "self"
            ? element
            : path.split(separator: ".").reduce(element) { value, name in
                (value as? ObjectBase)?.value(forKey: String(name)) as Any
            }
    }

    fileprivate func aggregate<T: _QueryOrdered>(_ function: AggregateFunction) -> T? {
        aggregate(function, "self")
    }
}

extension _Queried where _QueriedElement: _ObjectView {
    /// The least value of a property; nil where there is none.
    public func min<T: _QueryOrdered>(of keyPath: KeyPath<_QueriedElement, T>) -> T? {
        min(ofProperty: KeyPathNames.text(of: keyPath))
    }
    /// The greatest value of a property; nil where there is none.
    public func max<T: _QueryOrdered>(of keyPath: KeyPath<_QueriedElement, T>) -> T? {
        max(ofProperty: KeyPathNames.text(of: keyPath))
    }
    /// The sum of a property's values; 0 of none.
    public func sum<T: _QueryAdded>(of keyPath: KeyPath<_QueriedElement, T>) -> T {
        sum(ofProperty: KeyPathNames.text(of: keyPath))
    }
    /// The mean of a property's values; nil of none. A mean that is no whole number is cut where it is asked for as an integer.
    public func average<T: _QueryAdded>(of keyPath: KeyPath<_QueriedElement, T>) -> T? {
        average(ofProperty: KeyPathNames.text(of: keyPath))
    }
    /// The mean of a property's values as another type, such as `Double` of integers; nil of none.
    @_disfavoredOverload
    public func average<T: _QueryAdded, Mean: _QueryAdded>(
        of keyPath: KeyPath<_QueriedElement, T>
    ) -> Mean? {
        average(ofProperty: KeyPathNames.text(of: keyPath))
    }

    /// The least value of a property; nil where there is none.
    public func min<T: _QueryOrdered>(of keyPath: KeyPath<_QueriedElement, T?>) -> T? {
        min(ofProperty: KeyPathNames.text(of: keyPath))
    }
    /// The greatest value of a property; nil where there is none.
    public func max<T: _QueryOrdered>(of keyPath: KeyPath<_QueriedElement, T?>) -> T? {
        max(ofProperty: KeyPathNames.text(of: keyPath))
    }
    /// The sum of a property's values; 0 of none.
    public func sum<T: _QueryAdded>(of keyPath: KeyPath<_QueriedElement, T?>) -> T {
        sum(ofProperty: KeyPathNames.text(of: keyPath))
    }
    /// The mean of a property's values; nil of none.
    public func average<T: _QueryAdded>(of keyPath: KeyPath<_QueriedElement, T?>) -> T? {
        average(ofProperty: KeyPathNames.text(of: keyPath))
    }
}

extension _Queried where _QueriedElement: _QueryOrdered {
    /// The least of the values; nil where there is none.
    public func min() -> _QueriedElement? { aggregate(.min) }
    /// The greatest of the values; nil where there is none.
    public func max() -> _QueriedElement? { aggregate(.max) }
}

extension _Queried where _QueriedElement: _QueryAdded {
    /// The sum of the values; 0 of none.
    public func sum() -> _QueriedElement { aggregate(.sum) ?? _QueriedElement._unset() }
    /// The mean of the values; nil of none.
    public func average<Mean: _QueryAdded>() -> Mean? { aggregate(.average) }
}

// `Sequence` has these, too: as narrow as its own, they are the ones that are meant.
extension RealmCollection where Element: _QueryOrdered & Comparable {
    /// The least of the values; nil where there is none.
    public func min() -> Element? { aggregate(.min) }
    /// The greatest of the values; nil where there is none.
    public func max() -> Element? { aggregate(.max) }
}
