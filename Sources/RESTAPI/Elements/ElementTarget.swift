import HTTPServer
import JSON
import ObjectJSON
import ObjectModel
import Rows
import StoreService

/// Where a request names its element.
enum ElementSource: Sendable {
    /// Nowhere: it is about the collection.
    case collection
    /// `…/elements/{element}`
    case path
    /// `…/elements/{element}/{inner*}`: inside a `mixed` value
    case inner
    /// `…/elements?key=<JSON>`
    case parameter
}

/// Which element of which collection a request is about, in one schema.
struct ElementTarget {
    /// Where an element stands in its collection.
    enum Address {
        /// Nowhere yet, or wherever its value stands.
        case none
        /// In a list or set, at this position.
        case position(Int)
        /// In a map, under this key.
        case key([UInt8])
    }

    var object: ObjectTarget
    var member: Int
    var address: Address
    /// The steps from there, or from a single property, into a `mixed` value; nil when the request is about
    /// the collection's own elements.
    var inner: [[UInt8]]?

    var rowClass: RowClass { object.rowClass }
    var storage: FieldStorage { rowClass.members[member].storage }
    var property: Property { rowClass.definition.properties[member] }
}

extension RESTService {
    /// Finds the collection and reads the place of the element that a request names.
    ///
    /// - Throws: ``RequestFault`` `.notFound` for an unknown class or property and for one without elements, `.malformed` for a
    ///   place that is missing or malformed, `.unsupportedOperation` for an inverse link.
    /// - `isInside`: Whether the request is about what is inside the element that its path names.
    func elementTarget(
        _ request: Request, _ source: ElementSource, isInside: Bool = false, _ names: SchemaNames,
        _ scratch: RequestScratch
    ) throws(RequestFault) -> ElementTarget {
        let object = try target(request, .path, names, scratch)
        let member = try property(request, of: object.rowClass, names)
        var target = ElementTarget(object: object, member: member, address: .none)
        switch target.storage.shape {
        case .single:
            guard target.storage.element == .mixed else { throw .noElements(target.property) }
            target.inner = try Self.steps(request, source, scratch.parser)
            return target
        case .none: throw .inverseElements(target.property)
        case .list, .set, .map: break
        }
        switch source {
        case .collection: break
        case .path, .inner:
            if isInside || source == .inner {
                guard target.storage.element == .mixed else {
                    throw .noInnerElements(target.property)
                }
                target.inner = source == .inner ? request.rest.map { Array($0.bytes) } : []
            }
            target.address = try Self.address(request.parameter(3), in: target)
        case .parameter:
            guard let text = Self.parameter("key", of: request) else { break }
            guard Self.parameter("value", of: request) == nil else {
                throw .parameter("value", "Say 'key' or 'value', not both.")
            }
            guard target.storage.shape == .map else {
                throw .parameter(
                    "key",
                    "'key' names an entry of a map; '\(target.property.name)' has elements at "
                        + "positions: …/elements/0.")
            }
            target.address = .key(try Self.mapKey(text, scratch.parser))
        }
        return target
    }

    /// The property that a request names.
    func property(
        _ request: Request, of rowClass: RowClass, _ names: SchemaNames
    ) throws(RequestFault) -> Int {
        let name = UnsafeRawBufferPointer(request.parameter(2).bytes)
        guard let member = names.classes[rowClass.index].member(named: name) else {
            throw RequestFault.unknownProperty(String(decoding: name, as: UTF8.self), rowClass)
        }
        return member
    }

    /// The steps into a single `mixed` value.
    private static func steps(
        _ request: Request, _ source: ElementSource, _ parser: JSONParser
    ) throws(RequestFault) -> [[UInt8]] {
        switch source {
        case .collection: return []
        case .path: return [Array(request.parameter(3).bytes)]
        case .inner:
            return [Array(request.parameter(3).bytes)] + request.rest.map { Array($0.bytes) }
        case .parameter:
            guard parameter("value", of: request) == nil, let text = parameter("key", of: request)
            else {
                throw .parameter(
                    "key",
                    "An element inside a mixed value is named by its position or key: …/elements/0, "
                        + "or ?key=%22a%2Fb%22 for a key that no path carries.")
            }
            return [try mapKey(text, parser)]
        }
    }

    private static func address(
        _ text: RequestText, in target: ElementTarget
    ) throws(RequestFault) -> ElementTarget.Address {
        if target.storage.shape == .map { return .key(Array(text.bytes)) }
        guard let position = text.decimal.flatMap({ Int(exactly: $0) }) else {
            throw RequestFault(
                .malformed, "invalid-position",
                "The elements of '\(target.property.name)' stand at positions from 0 up; the path "
                    + "ends in one: …/elements/0.",
                errors: [
                    RequestFault.Entry(
                        code: "invalid-position", detail: "A position is a number from 0 up.",
                        parameter: "element")
                ])
        }
        return .position(position)
    }

    /// The value of a parameter that stands in the query.
    static func parameter(_ name: StaticString, of request: Request) -> UnsafeRawBufferPointer? {
        for (known, value) in request.query where known == name {
            return UnsafeRawBufferPointer(value.bytes)
        }
        return nil
    }

    private static func mapKey(
        _ text: UnsafeRawBufferPointer, _ parser: JSONParser
    ) throws(RequestFault) -> [UInt8] {
        if let json = try? parser.parse(text, depthMax: 1), let key = json.stringBytes {
            return Array(key)
        }
        throw .parameter(
            "key", "'key' is a JSON string, such as key=\"a/b\" (percent-encoded).")
    }
}

extension RequestFault {
    /// The property holds a single value.
    static func noElements(_ property: Property) -> RequestFault {
        RequestFault(
            .notFound, "no-elements",
            "'\(property.name)' holds one value and has no elements; read it at "
                + "…/properties/\(property.name) and change it with its object.")
    }

    /// The elements are no `mixed` values.
    static func noInnerElements(_ property: Property) -> RequestFault {
        RequestFault(
            .notFound, "no-elements",
            "The elements of '\(property.name)' are no mixed values and have no elements of their own; "
                + "the path ends behind the first: …/properties/\(property.name)/elements/0.")
    }

    /// An inverse link is read as a whole and not written.
    static func inverseElements(_ property: Property) -> RequestFault {
        RequestFault(
            .unsupportedOperation, "inverse-link-read-only",
            "'\(property.name)' shows which objects link here: page it at "
                + "…/properties/\(property.name), and change the links of those objects.")
    }
}
