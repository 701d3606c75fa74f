extension Realm {
    /// Projections of all objects of a class.
    ///
    /// Conditions and orders use properties of the objects; key paths may belong to the projections.
    public func objects<Element: ProjectionObservable>(_ type: Element.Type) -> Results<Element>
    where Element.Root: Object {
        Results(objects(Element.Root.self).core)
    }
}

extension _Queried where _QueriedElement: ProjectionObservable {
    /// The projections with objects that meet a condition, in their order.
    ///
    /// - Parameter condition: Receives the object.
    /// - Returns: Live results.
    public func `where`(
        _ condition: (Query<_QueriedElement.Root>) -> Query<Bool>
    ) -> Results<_QueriedElement> {
        do { return Results(try _queried.managed.filtered(condition)) } catch {
            Misuse.end("\(error)")
        }
    }

    /// The position of the first projection with an object that meets a condition, or nil.
    public func index(matching condition: (Query<_QueriedElement.Root>) -> Query<Bool>) -> Int? {
        let core = _queried.managed
        do { return core.position(of: try core.filtered(condition)) } catch {
            Misuse.end("\(error)")
        }
    }
}

/// The common part of all projections.
public protocol ProjectionObservable: AnyObject, _ObjectView, ThreadConfined {
    /// The class of the objects that are projected.
    associatedtype Root: ObjectBase
    /// The object that is projected.
    var rootObject: Root { get }
    /// Projects an object.
    init(projecting object: Root)
}
