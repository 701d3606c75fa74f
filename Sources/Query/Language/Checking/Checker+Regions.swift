import HoldfastGeometry
import HoldfastObjectModel
import HoldfastRows

/// `geoWithin`.
extension Checker {
    /// Checks a point in a region.
    func within(_ left: Syntax.Operand, _ syntax: Syntax.Region) throws(QueryError) -> Predicate {
        guard case .values(.path(let path, let quantifier)) = try side(left) else {
            throw source.fault(.type, "geoWithin follows a property", at: left.start)
        }
        let (pointClass, members) = try pointClass(path, left)
        return .within(
            RegionCondition(
                path: path, quantifier: quantifier, region: try region(syntax),
                pointClass: pointClass, pointMembers: [members.type, members.coordinates]))
    }

    /// Returns the region that an operand is as an argument; nil for every other operand.
    func regionArgument(_ operand: Syntax.Operand) -> Syntax.Region? {
        guard case .constant(let constant) = operand, case .argument(let index) = constant.kind,
            arguments.indices.contains(index), arguments[index].isRegion
        else { return nil }
        return Syntax.Region(kind: .argument(index), start: constant.start)
    }

    /// Returns the class of the points that a path leads to.
    private func pointClass(
        _ path: ValuePath, _ syntax: Syntax.Operand
    ) throws(QueryError) -> (classIndex: Int, members: PointMembers) {
        switch path.type {
        case .embedded(let classIndex):
            let definition = schema.classes[classIndex].definition
            if let members = definition.pointMembers { return (classIndex, members) }
            throw source.fault(
                .type,
                "Query '\(source.text(syntax.range))' links to data in the wrong format for "
                    + "a geoWithin query: '\(definition.name)' has to have the properties 'type' "
                    + "(string) and 'coordinates' (double[])", at: syntax.start)
        case .link(let classIndex):
            let name =
                classIndex < 0
                ? "an owner of embedded objects" : "'\(schema.classes[classIndex].definition.name)'"
            throw source.fault(
                .type,
                "A GEOWITHIN query can only operate on a link to an embedded class but \(name) is at "
                    + "the top level", at: syntax.start)
        case .scalar, .kinds:
            throw source.fault(
                .type,
                "The left hand side of 'geoWithin' must be a link to geoJSON formatted data. But the "
                    + "provided type is '\(path.type.name)'", at: syntax.start)
        }
    }

    private func region(_ syntax: Syntax.Region) throws(QueryError) -> GeoRegion {
        guard case .argument(let index) = syntax.kind else {
            return try compile(try shape(syntax, in: self), at: syntax.start)
        }
        if let known = work.regions[index] { return known }
        let region = try region(ofArgument: index, syntax)
        work.regions[index] = region
        return region
    }

    private func region(
        ofArgument index: Int, _ syntax: Syntax.Region
    ) throws(QueryError) -> GeoRegion {
        switch try argument(index, at: syntax.start).value {
        case .string(let text):
            let shape = try shape(text, at: syntax.start, argument: index)
            return try compile(shape, at: syntax.start, argument: index)
        case .map(let entries):
            let reader = RegionArgument(entries)
            guard let shape = reader.shape else {
                throw source.fault(
                    .argument, "Argument $\(index) is not a region: \(RegionArgument.forms)",
                    at: syntax.start, argument: index)
            }
            return try compile(shape, at: syntax.start, argument: index)
        case .null:
            throw source.fault(
                .argument, "NULL cannot be used on the right hand side of a GEOWITHIN query",
                at: syntax.start, argument: index)
        case let value:
            throw source.fault(
                .argument,
                "The right hand side of 'geoWithin' must be a geospatial constant value. But the "
                    + "provided type of argument $\(index) is '\(Self.typeName(value))'",
                at: syntax.start, argument: index)
        }
    }

    private func compile(
        _ shape: GeoShape, at start: Int, argument: Int? = nil
    ) throws(QueryError) -> GeoRegion {
        // A region of many points takes as long as very many steps.
        guard work.budget.checkLimits() else { throw source.givenUp() }
        do throws(GeoFault) { return try GeoRegion(shape) } catch {
            let kind: QueryError.Kind = error.isLimit ? .limit : argument == nil ? .type : .argument
            let text = Self.describe(.string("\(shape)"))
            throw source.fault(
                kind, "Invalid region in GEOWITHIN query for parameter '\(text)': \(error.message)",
                at: start, argument: argument)
        }
    }

    /// Reads the shape that an argument has as text.
    private func shape(
        _ text: String, at start: Int, argument: Int
    ) throws(QueryError) -> GeoShape {
        do throws(QueryError) {
            let source = SourceText(text)
            let reader = Checker(
                schema: schema, root: root, source: source, arguments: [], work: work)
            return try shape(try Parser.parseRegion(source, within: work.budget), in: reader)
        } catch {
            throw source.fault(
                .argument,
                "Invalid syntax in serialized geospatial object at argument \(argument): "
                    + error.message, at: start, argument: argument)
        }
    }

    /// Reads the shape of a literal, with the text and arguments of `reader`.
    private func shape(_ syntax: Syntax.Region, in reader: Checker) throws(QueryError) -> GeoShape {
        switch syntax.kind {
        case .argument: throw source.syntaxError("a region is expected", at: syntax.start)
        case .box(let bottomLeft, let topRight):
            return .box(
                bottomLeft: try reader.point(bottomLeft), topRight: try reader.point(topRight))
        case .circle(let center, let radius, let unit):
            return .circle(
                center: try reader.point(center), radians: try reader.radians(radius, unit: unit))
        case .polygon(let rings):
            return .polygon(
                try rings.map { (ring) throws(QueryError) in try ring.map(reader.point) })
        }
    }

    private func point(_ syntax: Syntax.Point) throws(QueryError) -> GeoPoint {
        if let altitude = syntax.altitude { _ = try coordinate(altitude) }
        return GeoPoint(
            longitude: try coordinate(syntax.longitude), latitude: try coordinate(syntax.latitude))
    }

    /// Reads a radius in radians.
    ///
    /// - Throws: ``QueryError`` for one without a unit that is longer than any circle: metres are meant, mostly.
    private func radians(_ constant: Syntax.Constant, unit: Double?) throws(QueryError) -> Double {
        let radius = try coordinate(constant)
        if let unit { return radius * unit }
        guard radius > 2 * .pi, radius.isFinite else { return radius }
        let text = source.text(constant.range)
        throw source.fault(
            .type,
            "A radius without a unit is in radians (a full circle has 6.28); with a unit it is a "
                + "length, such as \(text)m, \(text)km or \(text)mi.", at: constant.start,
            hint: text + "m")
    }

    /// Reads the number of a coordinate or of a radius.
    private func coordinate(_ constant: Syntax.Constant) throws(QueryError) -> Double {
        switch constant.kind {
        case .value(let value):
            if let number = RegionArgument.number(value) { return number }
        case .argument(let index):
            let argument = try argument(index, at: constant.start)
            if let number = RegionArgument.number(argument.value) { return number }
            if argument.isPlainText, case .string(let text) = argument.value,
                let number = Double(text)
            {
                return number
            }
            throw source.fault(
                .argument,
                "Argument $\(index) stands for a coordinate or a radius: a number is expected, not "
                    + "'\(Self.describe(argument.value))'", at: constant.start, argument: index)
        case .binaryArgument, .object, .now: break
        }
        throw source.fault(.type, "A number is expected here.", at: constant.start)
    }
}

/// Reads a region that comes as an argument, from the members that Realm's own types have, or as a polygon of GeoJSON:
///
///     {"bottomLeft": [lon, lat], "topRight": [lon, lat]}
///     {"center": [lon, lat], "radiusInRadians": r}
///     {"outerRing": [[lon, lat], …], "holes": [[[lon, lat], …], …]}
///     {"type": "Polygon", "coordinates": [[[lon, lat], …], …]}
struct RegionArgument {
    /// The accepted forms, for messages.
    static let forms =
        "write {\"bottomLeft\": [lon, lat], \"topRight\": [lon, lat]}, {\"center\": [lon, lat], "
        + "\"radiusInRadians\": r}, {\"outerRing\": [[lon, lat], ...], \"holes\": [...]}, a polygon of "
        + "GeoJSON, or a text such as \"geoCircle([13.4, 52.5], 0.01)\"."

    private let members: [String: Value]

    init(_ entries: [Value.MapEntry]) {
        members = Dictionary(
            entries.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// The region; nil if the members do not form one.
    var shape: GeoShape? {
        switch Set(members.keys) {
        case ["bottomLeft", "topRight"]:
            guard let bottomLeft = point("bottomLeft"), let topRight = point("topRight") else {
                return nil
            }
            return .box(bottomLeft: bottomLeft, topRight: topRight)
        case ["center", "radiusInRadians"]:
            guard let center = point("center"), let value = members["radiusInRadians"],
                let radians = Self.number(value)
            else { return nil }
            return .circle(center: center, radians: radians)
        case ["outerRing"], ["outerRing", "holes"]:
            guard let outer = members["outerRing"].flatMap(Self.ring),
                let holes = Self.rings(members["holes"] ?? .list([]))
            else { return nil }
            return .polygon([outer] + holes)
        case ["type", "coordinates"]:
            guard members["type"] == .string("Polygon") else { return nil }
            return members["coordinates"].flatMap(Self.rings).map { .polygon($0) }
        default: return nil
        }
    }

    private func point(_ name: String) -> GeoPoint? { members[name].flatMap(Self.point) }

    private static func point(_ value: Value) -> GeoPoint? {
        guard case .list(let values) = value, values.count == 2 || values.count == 3,
            let longitude = number(values[0]), let latitude = number(values[1]),
            values.count == 2 || number(values[2]) != nil
        else { return nil }
        return GeoPoint(longitude: longitude, latitude: latitude)
    }

    private static func ring(_ value: Value) -> [GeoPoint]? { list(value, point) }

    private static func rings(_ value: Value) -> [[GeoPoint]]? { list(value, ring) }

    private static func list<Item>(_ value: Value, _ item: (Value) -> Item?) -> [Item]? {
        guard case .list(let values) = value else { return nil }
        let items = values.compactMap(item)
        return items.count == values.count ? items : nil
    }

    /// Returns a number of any type as a double; nil for another value.
    static func number(_ value: Value) -> Double? {
        switch value {
        case .int(let number): Double(number)
        case .double(let number): number
        case .float(let number): Double(number)
        case .decimal(let number): Double(number.description)
        default: nil
        }
    }
}
