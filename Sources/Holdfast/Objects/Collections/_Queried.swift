import HoldfastObjectModel

/// A source of elements for conditions, orders and aggregates: realm collections, and the values of maps.
///
/// The requirements are the library's own.
public protocol _Queried {
    /// The type of the elements.
    associatedtype _QueriedElement: RealmCollectionValue
    /// The elements in the store.
    var _queried: QueriedElements { get }
    var _all: [_QueriedElement] { get }
}

extension CollectionReference {
    var queried: ResultsCore { ResultsCore(realm, ResultsBase(self)) }
}

extension List: _Queried {
    /// The elements in the store.
    public var _queried: QueriedElements { QueriedElements(core: place?.queried, kind: "List") }
    /// The present elements.
    public var _all: [Element] { Array(self) }
}

extension MutableSet: _Queried {
    /// The elements in the store.
    public var _queried: QueriedElements {
        QueriedElements(core: place?.queried, kind: "MutableSet")
    }
    /// The present elements.
    public var _all: [Element] { Array(self) }
}

extension LinkingObjects: _Queried {
    /// The elements in the store.
    public var _queried: QueriedElements {
        QueriedElements(
            core: place.map { ResultsCore($0.realm, .origins($0)) }, kind: "LinkingObjects")
    }
    /// The present elements.
    public var _all: [Element] { Array(self) }
}

extension Results: _Queried {
    /// The elements in the store.
    public var _queried: QueriedElements { QueriedElements(core: core, kind: "Results") }
    /// The present elements.
    public var _all: [Element] { Array(self) }
}

extension Map: _Queried {
    /// The elements in the store.
    public var _queried: QueriedElements { QueriedElements(core: place?.queried, kind: "Map") }
    /// The present elements.
    public var _all: [Value] { values }
}

extension _Queried {
    /// The least value of a property; nil without values.
    public func min<T: _QueryOrdered>(ofProperty property: String) -> T? {
        aggregate(.min, property)
    }
    /// The greatest value of a property; nil without values.
    public func max<T: _QueryOrdered>(ofProperty property: String) -> T? {
        aggregate(.max, property)
    }
    /// The sum of a property's values; 0 without values.
    public func sum<T: _QueryAdded>(ofProperty property: String) -> T {
        aggregate(.sum, property) ?? T._unset()
    }
    /// The mean of a property's values; nil without values.
    public func average<T: _QueryAdded>(ofProperty property: String) -> T? {
        aggregate(.average, property)
    }

    /// Calculated by the core for objects with keys, otherwise from the values.
    private func aggregate<T: _QueryOrdered>(
        _ function: AggregateFunction, _ property: String
    ) -> T? {
        if let core = _queried.core, core.hasObjectKeys {
            do { return T._aggregated(try core.aggregate(function, of: property)) } catch {
                Misuse.end(
                    "'\(function.rawValue)' is not possible for '\(property)': \(error.message)")
            }
        }
        return T._aggregated(ValueAggregate.result(function, _all.map { Self.value($0, property) }))
    }

    /// The value at the end of a path. A nil on the path ends the walk.
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
    /// The least value of a property; nil without values.
    public func min<T: _QueryOrdered>(of keyPath: KeyPath<_QueriedElement, T>) -> T? {
        min(ofProperty: KeyPathNames.text(of: keyPath))
    }
    /// The greatest value of a property; nil without values.
    public func max<T: _QueryOrdered>(of keyPath: KeyPath<_QueriedElement, T>) -> T? {
        max(ofProperty: KeyPathNames.text(of: keyPath))
    }
    /// The sum of a property's values; 0 without values.
    public func sum<T: _QueryAdded>(of keyPath: KeyPath<_QueriedElement, T>) -> T {
        sum(ofProperty: KeyPathNames.text(of: keyPath))
    }
    /// The mean of a property's values; nil without values. A fractional mean is truncated if it is read as an integer.
    public func average<T: _QueryAdded>(of keyPath: KeyPath<_QueriedElement, T>) -> T? {
        average(ofProperty: KeyPathNames.text(of: keyPath))
    }
    /// The mean of a property's values as another type, such as `Double` of integers; nil without values.
    @_disfavoredOverload
    public func average<T: _QueryAdded, Mean: _QueryAdded>(
        of keyPath: KeyPath<_QueriedElement, T>
    ) -> Mean? {
        average(ofProperty: KeyPathNames.text(of: keyPath))
    }

    /// The least value of a property; nil without values.
    public func min<T: _QueryOrdered>(of keyPath: KeyPath<_QueriedElement, T?>) -> T? {
        min(ofProperty: KeyPathNames.text(of: keyPath))
    }
    /// The greatest value of a property; nil without values.
    public func max<T: _QueryOrdered>(of keyPath: KeyPath<_QueriedElement, T?>) -> T? {
        max(ofProperty: KeyPathNames.text(of: keyPath))
    }
    /// The sum of a property's values; 0 without values.
    public func sum<T: _QueryAdded>(of keyPath: KeyPath<_QueriedElement, T?>) -> T {
        sum(ofProperty: KeyPathNames.text(of: keyPath))
    }
    /// The mean of a property's values; nil without values.
    public func average<T: _QueryAdded>(of keyPath: KeyPath<_QueriedElement, T?>) -> T? {
        average(ofProperty: KeyPathNames.text(of: keyPath))
    }
}

extension _Queried where _QueriedElement: _QueryOrdered {
    /// The least of the values; nil without values.
    public func min() -> _QueriedElement? { aggregate(.min) }
    /// The greatest of the values; nil without values.
    public func max() -> _QueriedElement? { aggregate(.max) }
}

extension _Queried where _QueriedElement: _QueryAdded {
    /// The sum of the values; 0 without values.
    public func sum() -> _QueriedElement { aggregate(.sum) ?? _QueriedElement._unset() }
    /// The mean of the values; nil without values.
    public func average<Mean: _QueryAdded>() -> Mean? { aggregate(.average) }
}

// `Sequence` has these, too: as narrow as its own, they are the ones that are meant.
extension RealmCollection where Element: _QueryOrdered & Comparable {
    /// The least of the values; nil without values.
    public func min() -> Element? { aggregate(.min) }
    /// The greatest of the values; nil without values.
    public func max() -> Element? { aggregate(.max) }
}

/// Conditions and orders. All need a managed collection; others end the process.
extension _Queried {
    private func results(_ what: (ResultsCore) throws -> ResultsCore) -> Results<_QueriedElement> {
        do { return Results(try what(_queried.managed)) } catch { Misuse.end("\(error)") }
    }

    /// The elements that meet a condition in the query language, in their order.
    ///
    ///     realm.objects(Dog.self).filter("age > $0 AND name BEGINSWITH %@", 3, "R")
    ///
    /// `$0` is the first argument; `%@`, `%d` and the like are the next one each, and `%K` is a key path. `self` is the element
    /// of a collection of values. A text that does not parse ends the process: for texts from outside there is
    /// ``filter(validating:_:)``.
    public func filter(_ text: String, _ arguments: Any...) -> Results<_QueriedElement> {
        results { try $0.filtered(text, arguments) }
    }

    /// The elements that meet a condition in a text from outside.
    ///
    /// - Throws: ``InvalidQuery`` with the column and, if there is one, a hint.
    public func filter(
        validating text: String, _ arguments: Any...
    ) throws -> Results<_QueriedElement> {
        Results(try _queried.managed.filtered(text, arguments))
    }

    /// The elements that meet a condition, in their order.
    ///
    ///     realm.objects(Dog.self).where { $0.age > 3 && $0.name.starts(with: "R") }
    ///
    /// - Parameter condition: Is given the element.
    /// - Returns: Live results.
    public func `where`(
        _ condition: (Query<_QueriedElement>) -> Query<Bool>
    ) -> Results<_QueriedElement> {
        results { try $0.filtered(condition) }
    }

    /// The position of the first element that meets a condition; nil if no element does.
    public func index(matching condition: (Query<_QueriedElement>) -> Query<Bool>) -> Int? {
        let core = _queried.managed
        do { return core.position(of: try core.filtered(condition)) } catch {
            Misuse.end("\(error)")
        }
    }

    /// The position of the first element that meets a condition in the query language; nil if no element does.
    public func index(matching text: String, _ arguments: Any...) -> Int? {
        let core = _queried.managed
        do { return core.position(of: try core.filtered(text, arguments)) } catch {
            Misuse.end("\(error)")
        }
    }

    /// The same elements, sorted by a property or a path through to-one links; `self` sorts values. The sort is stable.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true)
        -> Results<_QueriedElement>
    {
        sorted(by: CollectionOfOne(SortDescriptor(keyPath: keyPath, ascending: ascending)))
    }

    /// The same elements in an order: by the first descriptor, equal values by the next one.
    public func sorted(by descriptors: some Sequence<SortDescriptor>) -> Results<_QueriedElement> {
        let core = _queried.managed
        let list = descriptors.map { (keyPath: $0.keyPath, isAscending: $0.ascending) }
        do { return Results(try core.sorted(list)) } catch {
            let paths = list.map(\.keyPath).joined(separator: ", ")
            Misuse.end("Cannot sort on key path '\(paths)': \(error.message)")
        }
    }

    /// The first element of each combination of values, in the present order.
    public func distinct(by keyPaths: some Sequence<String>) -> Results<_QueriedElement> {
        let core = _queried.managed
        do { return Results(try core.distinct(Array(keyPaths))) } catch {
            Misuse.end("Cannot distinct on key paths: \(error.message)")
        }
    }

    /// Each value once, at its first position.
    public func distinct() -> Results<_QueriedElement> { distinct(by: CollectionOfOne("self")) }
}

extension _Queried where _QueriedElement: _ObjectView {
    /// The same objects, sorted by a property or a path through to-one links.
    public func sorted<Value: _Persistable>(
        by keyPath: KeyPath<_QueriedElement, Value>, ascending: Bool = true
    ) -> Results<_QueriedElement> {
        sorted(byKeyPath: KeyPathNames.text(of: keyPath), ascending: ascending)
    }

    /// The first object of each combination of values, in the present order.
    public func distinct(
        by keyPaths: [PartialKeyPath<_QueriedElement>]
    ) -> Results<_QueriedElement> {
        distinct(by: keyPaths.map { KeyPathNames.text(of: $0) })
    }
}

extension RealmCollection {
    /// The values in their order. Objects are sorted by a property: `sorted(byKeyPath:)`.
    public func sorted(ascending: Bool) -> Results<Element> {
        sorted(byKeyPath: "self", ascending: ascending)
    }
}

extension RealmCollection where Element: Comparable {
    /// The values in their order, the least first.
    public func sorted() -> Results<Element> { sorted(ascending: true) }
}

extension RealmKeyedCollection {
    /// The values in their order.
    public func sorted(ascending: Bool = true) -> Results<Value> {
        sorted(byKeyPath: "self", ascending: ascending)
    }
}
