import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// Which element of which collection a request is about, in one schema.
package struct ElementTarget {
    package var object: ObjectTarget
    package var member: Int
    /// Which element; nil where it stands nowhere yet, or wherever its value stands.
    package var element: EditPath.Element?
    /// The steps from there, or from a single property, into a `mixed` value; nil when the request is about
    /// the collection's own elements.
    package var inner: [[UInt8]]?

    package var rowClass: RowClass { object.rowClass }
    package var storage: FieldStorage { rowClass.members[member].storage }
    package var property: Property { rowClass.definition.properties[member] }
}

extension ElementAddress {
    /// Finds the collection and reads the position or key of the element.
    ///
    /// - `isInside`: Whether the request is about a value inside the named element.
    /// - Throws: ``RequestFault`` `.notFound` for an unknown class or property and for one without elements, `.malformed` for a
    ///   position or key that is missing or malformed, `.unsupportedOperation` for an inverse link.
    func target(
        isInside: Bool = false, _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) -> ElementTarget {
        let object = try object.target(names, scratch)
        let member = try names.member(named: property.bytes, of: object.rowClass)
        var target = ElementTarget(object: object, member: member)
        switch target.storage.shape {
        case .single:
            guard target.storage.element == .mixed else { throw .noElements(target.property) }
            target.inner = try steps(scratch.parser)
            return target
        case .none: throw .inverseElements(target.property)
        case .list, .set, .map: break
        }
        switch element {
        case .none: break
        case .path(let first, let rest):
            if isInside || !rest.isEmpty {
                guard target.storage.element == .mixed else {
                    throw .noInnerElements(target.property)
                }
                target.inner = rest.map { Array($0.bytes) }
            }
            target.element = try Self.element(first, in: target)
        case .parameters(nil, _): break
        case .parameters(.some, .some): throw .parameter("value", "Say 'key' or 'value', not both.")
        case .parameters(let text?, nil):
            guard target.storage.shape == .map else {
                throw .parameter(
                    "key",
                    "'key' names an entry of a map; '\(target.property.name)' has elements at "
                        + "positions: …/elements/0.")
            }
            target.element = .key(try Self.mapKey(text, scratch.parser))
        }
        return target
    }

    /// The steps into a single `mixed` value.
    private func steps(_ parser: JSONParser) throws(RequestFault) -> [[UInt8]] {
        switch element {
        case .none: return []
        case .path(let first, let rest): return ([first] + rest).map { Array($0.bytes) }
        case .parameters(let text?, nil): return [try Self.mapKey(text, parser)]
        case .parameters:
            throw .parameter(
                "key",
                "An element inside a mixed value is named by its position or key: …/elements/0, "
                    + "or ?key=%22a%2Fb%22 for a key that a path can't carry.")
        }
    }

    private static func element(
        _ text: RequestBytes, in target: ElementTarget
    ) throws(RequestFault) -> EditPath.Element {
        if target.storage.shape == .map { return .key(Array(text.bytes)) }
        guard let position = UInt64(jsonDigits: text.bytes).flatMap({ Int(exactly: $0) }) else {
            throw .single(
                .malformed, "invalid-position",
                "The elements of '\(target.property.name)' have positions from 0 up; the path "
                    + "ends with one: …/elements/0.",
                partDetail: "A position is a number from 0 up.", parameter: "element")
        }
        return .index(position)
    }

    private static func mapKey(
        _ text: RequestBytes, _ parser: JSONParser
    ) throws(RequestFault) -> [UInt8] {
        if let json = try? parser.parse(text.bytes, depthMax: 1), let key = json.stringBytes {
            return Array(key)
        }
        throw .parameter("key", "'key' is a JSON string, such as key=\"a/b\" (percent-encoded).")
    }
}

extension RequestFault {
    /// An element, or something inside a `mixed` value, is not as the request takes it to be.
    init(_ fault: ElementFault, in target: ElementTarget) {
        switch fault {
        case .notThere:
            self.init(.notFound, "element-not-found", "The collection has no such element.")
        case .noElements:
            self.init(
                .notFound, "no-elements",
                "The path goes into a value of '\(target.property.name)' that is not a list or map, "
                    + "and so has no elements.")
        case .needsKey:
            self.init(
                .unsupportedOperation, "element-method-not-allowed",
                "The path leads to a map, whose entries have keys: PUT …/{key}.",
                alternatives: "GET, HEAD, PUT, DELETE, OPTIONS")
        case .positionOutOfRange(let count):
            self = .single(
                .invalid, "position-out-of-range",
                "The list has \(count) elements; 'at' is a position from 0 to \(count).",
                parameter: "at")
        }
    }

    /// The path names no entry of a map.
    static let entryKeyMissing = RequestFault.parameter(
        "key", "This path needs the key of a map's entry as JSON, such as ?key=%22a%2Fb%22.")

    /// The property holds a single value.
    static func noElements(_ property: Property) -> RequestFault {
        RequestFault(
            .notFound, "no-elements",
            "'\(property.name)' holds one value and has no elements; read it at "
                + "…/properties/\(property.name) and change it with its object.")
    }

    /// The elements are no `mixed` values.
    package static func noInnerElements(_ property: Property) -> RequestFault {
        RequestFault(
            .notFound, "no-elements",
            "The elements of '\(property.name)' are no mixed values and have no elements of their own; "
                + "the path ends after the first: …/properties/\(property.name)/elements/0.")
    }

    /// An inverse link is read as a whole and not written.
    static func inverseElements(_ property: Property) -> RequestFault {
        RequestFault(
            .unsupportedOperation, "inverse-link-read-only",
            "'\(property.name)' shows which objects link here: page it at "
                + "…/properties/\(property.name), and change the links of those objects.")
    }
}

/// How a request names an element of a collection, or the collection: by texts that it holds.
package struct ElementAddress: Sendable {
    /// The name of the element.
    package enum Element: Sendable {
        /// Nothing: the request is about the collection.
        case none
        /// A path: a position or key, and the steps from there into a `mixed` value.
        case path(RequestBytes, [RequestBytes])
        /// A map's key, or the value of an element, as JSON.
        case parameters(key: RequestBytes?, value: RequestBytes?)
    }

    package let object: ObjectAddress
    /// The name of the property.
    package let property: RequestBytes
    package let element: Element

    /// The parameter that names the element, in the path or the query.
    var parameterName: String {
        if case .parameters = element { "key" } else { "element" }
    }

    package init(_ object: ObjectAddress, _ property: RequestBytes, _ element: Element) {
        self.object = object
        self.property = property
        self.element = element
    }
}
