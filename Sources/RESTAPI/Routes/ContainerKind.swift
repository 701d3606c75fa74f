import HoldfastHTTPServer
import HoldfastStoreService

/// The kind of container whose objects a path names: a class, or a projection of one. Most operations on objects exist
/// for both, and differ by what stands here.
enum ContainerKind: Sendable {
    case objectClass, projection

    /// The path of the container; its name is the path's first parameter.
    var path: String {
        switch self {
        case .objectClass: "/v1/classes/{class}"
        case .projection: "/v1/projections/{projection}"
        }
    }

    /// The id of an operation on its objects: `listObjects` of a class is `listProjectedObjects` of a projection.
    func id(_ verb: String, _ noun: String) -> String {
        verb + (self == .projection ? "Projected" : "") + noun
    }

    /// The choice of properties.
    var fields: [Parameter] { self == .projection ? [.projectedFields] : [.fields] }

    /// The choice of properties and of links whose targets are shown; a projection shows its own.
    var shown: [Parameter] { self == .projection ? fields : fields + [.expand] }

    /// The paths whose changes are told.
    var keyPaths: [Parameter] { self == .projection ? [.projectedKeyPaths] : [.keyPaths] }

    /// The container that a request's path names.
    func container(_ request: Request) -> ObjectContainer {
        let name = request.parameter(0).string
        return self == .projection ? .projection(name) : .ofClass(name)
    }
}
