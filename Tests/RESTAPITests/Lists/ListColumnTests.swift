import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

@Suite("columns of lists as CSV")
struct ListColumnTests {
    private static let shops = "/v1/classes/Shop/objects"
    private static let flats = "/v1/classes/Flat/objects"

    @Test("a path that ends in a single value is a column of CSV, named as it is written")
    func paths() throws {
        let server = try ListForms.server()
        for (path, parameters, expected) in [
            (
                Self.shops, [("fields", "id,town.name,place.type,town.$id")],
                "id,town.$id,town.name,place.type\r\n1,1,Bonn,Point\r\n2,2,Nowhere,Point\r\n3,,,\r\n"
            ),
            (
                Self.flats, [("fields", "shop.town.name,id")],
                "shop.town.name,id\r\nNowhere,1\r\n,2\r\n,3\r\n"
            ),
            (
                Self.shops, [("fields", "id,town,town.name")],
                "id,town,town.name\r\n1,1,Bonn\r\n2,2,Nowhere\r\n3,,\r\n"
            ),
            (
                Self.flats, [("fields", "shop.town.name,shop.town,id")],
                "shop.town,shop.town.name,id\r\n2,Nowhere,1\r\n,,2\r\n,,3\r\n"
            ),
            (
                "/v1/projections/FlatCard/objects", [("fields", "shopName")],
                "shopName\r\nB\r\n\r\n\r\n"
            ),
        ] as [(String, [(String, String)], String)] {
            let reply = server.send(
                "GET", target(path, parameters + [("limit", "3")]),
                headers: [("Accept", "text/csv")])
            #expect(reply.status == 200 && reply.text == expected, "\(path): \(reply.text)")
        }
        let exported = server.send(
            "GET", "/v1/classes/Flat/export?fields=id,shop.name", headers: [("Accept", "text/csv")])
        #expect(exported.text.hasPrefix("id,shop.name\r\n1,B\r\n2,\r\n"), "\(exported.text)")
        let linked = server.send(
            "GET", "/v1/classes/Flat/export?fields=id,shop.name,shop",
            headers: [("Accept", "text/csv")])
        #expect(linked.text.hasPrefix("id,shop,shop.name\r\n1,2,B\r\n2,,\r\n"), "\(linked.text)")
        // As JSON the object has one place, which holds all of it.
        APIScenario(
            "GET", Self.shops + "/1?fields=town,town.name", status: 200,
            contains: [#""town":{"$id":1,"name":"Bonn","centre":"#]
        ).check(on: server)
        for (fields, name) in [
            ("id,place.coordinates", "'place.coordinates'"), ("id,town.centre", "'town.centre'"),
            ("id,town.*", "'town.centre'"), ("id,place", "'place'"),
        ] {
            APIScenario(
                "GET", Self.shops + "?fields=" + fields, headers: [("Accept", "text/csv")],
                status: 406, contains: ["not-flat", name]
            ).check(on: server)
        }
    }
}
