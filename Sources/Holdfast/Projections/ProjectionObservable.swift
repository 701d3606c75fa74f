/// The common part of all projections, whatever they project.
public protocol ProjectionObservable: AnyObject, _ObjectView, ThreadConfined {
    /// The class of the objects that are projected.
    associatedtype Root: ObjectBase
    /// The object that is projected.
    var rootObject: Root { get }
    /// Projects an object.
    init(projecting object: Root)
}
