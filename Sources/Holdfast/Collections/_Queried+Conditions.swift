/// Conditions and orders. All need a managed collection; others end the process.
extension _Queried {
    private func results(
        _ what: (ResultsCore) throws -> ResultsCore
    ) -> Results<_QueriedElement> {
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
    /// - Throws: ``InvalidQuery`` with the column and, where there is one, a hint.
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

    /// The position of the first element that meets a condition; nil where none does.
    public func index(matching condition: (Query<_QueriedElement>) -> Query<Bool>) -> Int? {
        let core = _queried.managed
        do { return core.position(of: try core.filtered(condition)) } catch {
            Misuse.end("\(error)")
        }
    }

    /// The position of the first element that meets a condition in the query language; nil where none does.
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

    /// The same elements in an order: by the first descriptor, those of equal values by the next.
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

    /// Each value once, where it stands first.
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
