import HoldfastJSON
import HoldfastObjectModel

extension SchemaReader {
    private static let projectionMembers = ["name", "class", "properties"]
    private static let projectedMembers = ["path", "projection"]

    /// Reads a projection; nil with at least one fault.
    ///
    /// - `named`: The name that the path of the request states, with which the body has to agree; nil when
    ///   the body has to state it.
    package mutating func readProjection(_ value: JSONValue, _ pointer: JSONPointer, named: String?)
        -> Projection?
    {
        guard value.kind == .object else {
            fault(
                pointer, "wrong-type",
                "A projection is an object such as {\"class\":\"Person\",\"properties\":{\"homeCity\":"
                    + "\"home.city\"}}.")
            return nil
        }
        var name = named
        var className: String?
        var properties: JSONValue?
        let countBefore = faults.count
        forEachMember(value, pointer, Self.projectionMembers) { reader, member, value, pointer in
            switch member {
            case "name":
                guard let text = reader.readText(value, pointer) else { break }
                if let named, named != text {
                    reader.fault(
                        pointer, "invalid-projection",
                        "The body names the projection '\(text)', but the path names '\(named)'.")
                }
                name = text
            case "class": className = reader.readText(value, pointer)
            default: properties = value
            }
        }
        if name == nil, faults.count == countBefore {
            fault(pointer, "missing-member", "A projection states its 'name'.")
        }
        if className == nil, faults.count == countBefore {
            fault(
                pointer, "missing-member",
                "A projection states the 'class' whose objects it shows.")
        }
        guard let properties else {
            fault(
                pointer, "missing-member",
                "A projection has 'properties', an object from names to paths.")
            return nil
        }
        var result = Projection(name: name ?? "", className: className ?? "", properties: [])
        result.properties = readProjected(properties, pointer.appending("properties"))
        return faults.count == countBefore ? result : nil
    }

    private mutating func readProjected(_ properties: JSONValue, _ pointer: JSONPointer)
        -> [Projection.Property]
    {
        guard properties.kind == .object else {
            fault(pointer, "wrong-type", "'properties' is an object from names to paths.")
            return []
        }
        var result: [Projection.Property] = []
        forEachMember(properties, pointer) { reader, name, value, pointer in
            if let read = reader.readProjected(name, value, pointer) { result.append(read) }
        }
        return result
    }

    /// Reads one property: a path, or a path and the projection that shows the object there.
    private mutating func readProjected(
        _ name: String, _ value: JSONValue, _ pointer: JSONPointer
    ) -> Projection.Property? {
        var path: String?
        var projection: String?
        switch value.kind {
        case .string: path = readText(value, pointer)
        case .object:
            let countBefore = faults.count
            forEachMember(value, pointer, Self.projectedMembers) { reader, member, value, pointer in
                if member == "path" {
                    path = reader.readText(value, pointer)
                } else if !value.isNull {
                    projection = reader.readText(value, pointer)
                }
            }
            if path == nil, faults.count == countBefore {
                fault(pointer, "missing-member", "A projected property states its 'path'.")
            }
        default:
            fault(
                pointer, "wrong-type",
                "A projected property is a path such as \"home.city\", or {\"path\":\"home\","
                    + "\"projection\":\"AddressProjection\"}.")
        }
        guard let path else { return nil }
        let steps = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !steps.contains(where: \.isEmpty) else {
            fault(
                pointer, "invalid-projection",
                "A path consists of property names with dots between them, such as \"home.city\"; a "
                    + "name is missing in '\(path)'.")
            return nil
        }
        return Projection.Property(name: name, path: steps, projection: projection)
    }
}
