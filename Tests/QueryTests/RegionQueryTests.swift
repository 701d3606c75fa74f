import HoldfastGeometry
import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows
import Testing

/// The grammar of `geoWithin` and what is refused; what matches is tested with stored objects.
@Suite("geoWithin in a query")
struct RegionQueryTests {
    static let schema = World.compile(
        Schema(classes: [
            ObjectClass(
                name: "Shop", primaryKey: "id",
                properties: [
                    Property(name: "id", type: .single(.scalar(.int))),
                    Property(name: "name", type: .single(.scalar(.string))),
                    Property(name: "place", type: .single(.object("Point")), isOptional: true),
                    Property(name: "former", type: .list(.object("Point"))),
                    Property(name: "depots", type: .map(.object("Point")), isOptional: true),
                    Property(name: "rival", type: .single(.object("Shop")), isOptional: true),
                    Property(name: "branches", type: .list(.object("Shop"))),
                    Property(name: "odd", type: .single(.object("Odd")), isOptional: true),
                    Property(name: "named", type: .single(.object("Named")), isOptional: true),
                ]),
            ObjectClass(
                name: "Point", kind: .embedded,
                properties: [
                    Property(name: "type", type: .single(.scalar(.string))),
                    Property(name: "coordinates", type: .list(.scalar(.double))),
                ]),
            ObjectClass(
                name: "Odd", kind: .embedded,
                properties: [
                    Property(name: "type", type: .single(.scalar(.string))),
                    Property(name: "coordinates", type: .list(.scalar(.float))),
                ]),
            ObjectClass(
                name: "Named", kind: .embedded,
                properties: [
                    Property(name: "note", type: .single(.scalar(.string)), isOptional: true),
                    Property(
                        name: "lonLat", type: .list(.scalar(.double)), mapTo: "coordinates"),
                    Property(
                        name: "form", type: .single(.scalar(.string)), isOptional: true,
                        mapTo: "type"),
                ]),
        ]))

    private func compile(
        _ text: String, _ arguments: [QueryArgument] = []
    ) -> Result<CompiledQuery, QueryError> {
        do throws(QueryError) {
            return .success(
                try CompiledQuery.compile(
                    text: text, arguments: arguments, rootClass: 0, schema: Self.schema))
        } catch {
            return .failure(error)
        }
    }

    private func region(_ text: String, _ arguments: [QueryArgument] = []) throws -> GeoShape? {
        guard case .within(let condition) = try compile(text, arguments).get().predicate else {
            return nil
        }
        return condition.region.shape
    }

    @Test(
        "a region is a box, a circle, or a polygon with holes, of numbers of every form",
        arguments: [
            ("geoBox([0,0],[1,2])", "geoBox([0.0, 0.0], [1.0, 2.0])"),
            ("geoBox([-1,-2],[-0.5,+1])", "geoBox([-1.0, -2.0], [-0.5, 1.0])"),
            ("GEOBOX( [ 1e1 , .5 ] , [ 0x10 , 10. ] )", "geoBox([10.0, 0.5], [16.0, 10.0])"),
            ("geobox([1,2,300],[3,4,-5.5])", "geoBox([1.0, 2.0], [3.0, 4.0])"),
            ("geoCircle([-13.4,52.5], 1)", "geoCircle([-13.4, 52.5], 1.0)"),
            ("GeoCircle([-13,52], 0.25f)", "geoCircle([-13.0, 52.0], 0.25)"),
            ("geoCircle([1,2], 6.0)", "geoCircle([1.0, 2.0], 6.0)"),
            ("geoCircle([1,2], 6378.1km)", "geoCircle([1.0, 2.0], 1.0)"),
            ("geoCircle([1,2], 3189.05 km)", "geoCircle([1.0, 2.0], 0.5)"),
            ("geoCircle([1,2], 1594525m)", "geoCircle([1.0, 2.0], 0.25)"),
            ("geoCircle([1,2], 0mi)", "geoCircle([1.0, 2.0], 0.0)"),
            (
                "geoPolygon({[0,0],[1,0],[1,1],[0,0]})",
                "geoPolygon({[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]})"
            ),
            (
                "geoPolygon({[0,0],[9,0],[9,9],[0,0]}, {[5,1],[6,2],[6,1],[5,1]})",
                "geoPolygon({[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 0.0]}, "
                    + "{[5.0, 1.0], [6.0, 2.0], [6.0, 1.0], [5.0, 1.0]})"
            ),
        ])
    func regions(text: String, canonical: String) throws {
        for name in ["geoWithin", "GEOWITHIN", "geowithin"] {
            let shape = try #require(try region("place \(name) \(text)"))
            #expect(shape.description == canonical)
        }
        // The same as an argument, and as the argument that its canonical form is.
        for argument in [text, canonical] {
            for isPlainText in [true, false] {
                let shape = try region(
                    "place geoWithin $0",
                    [QueryArgument(.string(argument), isPlainText: isPlainText)])
                #expect(shape?.description == canonical)
            }
        }
    }

    @Test("arguments stand for regions and for numbers")
    func arguments() throws {
        func point(_ x: Double, _ y: Double) -> Value { .list([.double(x), .double(y)]) }
        let square = Value.list([point(0, 0), point(9, 0), point(9, 9), point(0, 0)])
        let hole = Value.list([point(5, 1), point(6, 2), point(6, 1), point(5, 1)])
        for (value, canonical) in [
            (
                .map([
                    Value.MapEntry("bottomLeft", .list([.int(-1), .int(2)])),
                    Value.MapEntry("topRight", point(3, 4)),
                ]), "geoBox([-1.0, 2.0], [3.0, 4.0])"
            ),
            (
                .map([
                    Value.MapEntry("center", .list([.int(1), .float(2), .double(500)])),
                    Value.MapEntry("radiusInRadians", .double(0.5)),
                ]), "geoCircle([1.0, 2.0], 0.5)"
            ),
            (
                .map([Value.MapEntry("outerRing", square)]),
                "geoPolygon({[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 0.0]})"
            ),
            (
                .map([
                    Value.MapEntry("outerRing", square), Value.MapEntry("holes", .list([hole])),
                ]),
                "geoPolygon({[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 0.0]}, "
                    + "{[5.0, 1.0], [6.0, 2.0], [6.0, 1.0], [5.0, 1.0]})"
            ),
            (
                .map([
                    Value.MapEntry("type", .string("Polygon")),
                    Value.MapEntry("coordinates", .list([square, hole])),
                ]),
                "geoPolygon({[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 0.0]}, "
                    + "{[5.0, 1.0], [6.0, 2.0], [6.0, 1.0], [5.0, 1.0]})"
            ),
        ] as [(Value, String)] {
            let arguments = [QueryArgument(.null), QueryArgument(value)]
            let shape = try region("place geoWithin $1", arguments)
            #expect(shape?.description == canonical)
        }
        let numbers = [
            QueryArgument(.int(-3)), QueryArgument(.double(4.5)), QueryArgument(text: "0.25"),
        ]
        #expect(
            try region("place geoWithin geoCircle([$0, $1, $0], $2)", numbers)?.description
                == "geoCircle([-3.0, 4.5], 0.25)")
        #expect(
            try region("place geoWithin geoBox([$0, $00], [4, $1])", numbers)?.description
                == "geoBox([-3.0, -3.0], [4.0, 4.5])")
    }

    @Test(
        "a point is reached through links, lists, maps and elements",
        arguments: [
            "place", "rival.place", "branches.place", "ANY branches.place", "ALL former",
            "NONE former", "former", "former[0]", "former[LAST]", "depots", "depots['a']",
            "depots.a", "ANY depots.@values", "rival.branches.former", "@links.Shop.rival.place",
            "named",
        ])
    func paths(path: String) throws {
        for text in ["\(path) geoWithin geoCircle([0,0],1)", "!(\(path) geoWithin $0)"] {
            _ = try compile(text, [QueryArgument(.string("geoCircle([0,0],1)"))]).get()
        }
    }

    @Test(
        "what is refused is refused with the reason and the column",
        arguments: [
            ("place geoWithin", 16, "expected geoBox(...), geoCircle(...), geoPolygon(...)"),
            ("place geoWithin 5", 17, "expected geoBox(...)"),
            ("place geoWithin 'geoBox([0,0],[1,1])'", 17, "expected geoBox(...)"),
            ("place geoWithin geoBox", 23, "expected '('"),
            ("place geoWithin geoBox([0,0])", 29, "the opposite corner"),
            ("place geoWithin geoBox([0],[1,1])", 26, "the latitude"),
            ("place geoWithin geoBox([0,0,0,0],[1,1])", 30, "expected ']'"),
            ("place geoWithin geoBox({0,0},[1,1])", 24, "a point, such as"),
            ("place geoWithin geoBox(['0',0],[1,1])", 25, "expected a number"),
            ("place geoWithin geoBox([inf,0],[1,1])", 25, "expected a number"),
            ("place geoWithin geoCircle([0,0])", 32, "or in radians"),
            ("place geoWithin geoCircle([0,0],5000)", 33, "such as 5000m, 5000km or 5000mi"),
            ("place geoWithin geoCircle([0,0],5 kilometres)", 35, "one of the units km, m and mi"),
            ("place geoWithin geoPolygon([0,0],[1,0],[1,1],[0,0])", 28, "a ring of points"),
            ("place geoWithin geoPolygon({[0,0],[1,0],[1,1],[0,0]}", 53, "expected ')'"),
            ("place geoWithin geoPolygon({})", 29, "a point, such as"),
            ("{1,2} geoWithin geoCircle([0,0],1)", 1, "follows a property"),
            ("5 geoWithin geoCircle([0,0],1)", 1, "follows a property"),
            ("place == geoCircle([0,0],1)", 10, "follows geoWithin"),
            (
                "name geoWithin geoCircle([0,0],1)", 1,
                "must be a link to geoJSON formatted data. But the provided type is 'string'"
            ),
            ("place.@count geoWithin geoCircle([0,0],1)", 1, "the provided type is 'int'"),
            ("place.coordinates geoWithin geoCircle([0,0],1)", 1, "the provided type is 'double'"),
            (
                "rival geoWithin geoCircle([0,0],1)", 1,
                "a link to an embedded class but 'Shop' is at the top level"
            ),
            (
                "odd geoWithin geoCircle([0,0],1)", 1,
                "'odd' links to data in the wrong format for a geoWithin query"
            ),
            ("ALL place geoWithin geoCircle([0,0],1)", 1, "must contain a list"),
            ("plase geoWithin geoCircle([0,0],1)", 1, "'Shop' has no property 'plase'"),
            ("place geoWithin geoCircle([0,0],-1)", 17, "must be a non-negative number"),
            ("place geoWithin geoCircle([181,0],1)", 17, "out of bounds, lng: 181.0 lat: 0.0"),
            (
                "place geoWithin geoPolygon({[0,0],[1,1],[0,0]})", 17,
                "at least 3 different vertices"
            ),
            (
                "id == 1 AND place geoWithin geoPolygon({[0,0],[2,2],[2,0],[0,2],[0,0]})", 29,
                "Ring 0 is not valid: 'Edge 0 crosses edge 2'"
            ),
            ("place geoWithin $7", 17, "argument at index 7"),
            ("place geoWithin geoCircle([$0,0],1)", 28, "a number is expected, not 'text'"),
            (
                "place geoWithin $0", 17,
                "Invalid syntax in serialized geospatial object at argument 0"
            ),
            ("place geoWithin $1", 17, "the provided type of argument $1 is 'int'"),
            ("place geoWithin $2", 17, "NULL cannot be used"),
            ("place geoWithin $3", 17, "Argument $3 is not a region: write {"),
            ("place geoWithin $4", 17, "at least 3 different vertices"),
            ("place geoWithin $5", 17, "argument at index 0 but no arguments"),
            ("place geoWithin $6", 17, "is 'list'"),
        ])
    func refusals(text: String, column: Int, reason: String) {
        let arguments = [
            QueryArgument(text: "text"), QueryArgument(.int(5)), QueryArgument(.null),
            QueryArgument(.map([Value.MapEntry("center", .list([.int(1)]))])),
            QueryArgument(text: "geoPolygon({[0,0],[1,1],[0,0]})"),
            QueryArgument(text: "geoCircle([$0,0],1)"), QueryArgument(.list([.int(1), .int(2)])),
        ]
        switch compile(text, arguments) {
        case .success: Issue.record("\(text) is refused")
        case .failure(let error):
            #expect(error.column == column, "\(text): \(error.message)")
            #expect(error.message.contains(reason), "\(text): \(error.message)")
        }
    }

    @Test("a polygon of too many points is refused by the limit, whatever it looks like")
    func limit() throws {
        let point = "[1,1],"
        let text = String(repeating: point, count: GeoRegion.pointCountMax)
        for filter in [
            "place geoWithin geoPolygon({\(text)[1,1]})",
            "place geoWithin geoPolygon("
                + String(repeating: "{[1,1]},", count: GeoRegion.ringCountMax) + "{[1,1]})",
        ] {
            guard case .failure(let error) = compile(filter) else {
                Issue.record("that is too much")
                continue
            }
            #expect(error.kind == .limit)
            #expect(error.column == 17)
        }
    }

    @Test("equal conditions are equal whatever their spelling, others are not")
    func equality() throws {
        let query = try compile("place geoWithin geoBox([0,0],[1,1])").get()
        let same = try compile("place GEOWITHIN geobox([0.0,0,5],[1e0,1])").get()
        #expect(query == same)
        for other in [
            "place geoWithin geoBox([0,0],[1,2])", "former geoWithin geoBox([0,0],[1,1])",
            "ALL former geoWithin geoBox([0,0],[1,1])",
            "rival.place geoWithin geoBox([0,0],[1,1])",
        ] {
            let different = try compile(other).get()
            #expect(query != different)
        }
    }

    @Test("a condition depends on the way to the point, its type and its coordinates")
    func dependencies() throws {
        let query = try compile("ANY branches.former geoWithin geoBox([0,0],[1,1])").get()
        let read = query.predicate.dependencies(Self.schema).map {
            Self.schema.classes[$0.classIndex].definition.properties[$0.member].name
        }
        #expect(read == ["branches", "former", "type", "coordinates"])
    }
}
