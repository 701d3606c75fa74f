import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

/// Shops with points and what links to them, for the media types of lists.
enum ListForms {
    static func server(_ options: RESTOptions = RESTOptions()) throws -> TestServer {
        let server = try TestServer(schema: .init(classes: []), options: options)
        let schema = server.send(
            "PUT", "/v1/schema",
            #"""
            {"classes":[
              {"name":"Shop","primaryKey":"id","properties":{
                "id":"int","name":"string?","place":"GeoPoint","town":"Town","tags":"string[]"}},
              {"name":"Town","properties":{"name":"string","centre":"GeoPoint","edge":"GeoPoint"}},
              {"name":"Key","primaryKey":"key","properties":{"key":"string?","place":"GeoPoint"}},
              {"name":"Flat","primaryKey":"id","properties":{
                "id":"int","name":"string?","big":"int?","shop":"Shop","any":"mixed"}},
              {"name":"GeoPoint","kind":"embedded","properties":{
                "type":{"type":"string","default":"Point"},"coordinates":"double[]"}}]}
            """#)
        #expect(schema.status == 200, "\(schema.text)")
        for (name, body) in [
            (
                "Town",
                #"[{"name":"Bonn","centre":{"coordinates":[7.1,50.7]},"edge":{"coordinates":[7,50]}},{"name":"Nowhere"}]"#
            ),
            (
                "Shop",
                #"[{"id":1,"name":"A","place":{"coordinates":[13.4,52.52]},"town":1,"tags":["x"]},{"id":2,"name":"B","place":{"coordinates":[-70.0,-33.5,520.0]},"town":2},{"id":3,"place":null},{"id":4,"place":{"coordinates":[1]}},{"id":5,"place":{"type":"point","coordinates":[200,10]}},{"id":6,"place":{"type":"Line","coordinates":[1,2]}},{"id":7,"place":{"coordinates":["NaN",2]},"town":1},{"id":8,"place":{"type":"POINT","coordinates":[1,2,"Infinity"]}}]"#
            ),
            ("Key", #"[{"key":null},{"key":"a\"b"}]"#),
            (
                "Flat",
                #"[{"id":1,"name":"a,\"b\"","big":9007199254740993,"shop":2},{"id":2,"name":""},{"id":3}]"#
            ),
        ] {
            let reply = server.send("POST", "/v1/classes/\(name)/objects", body)
            #expect(reply.status == 201, "\(reply.text)")
        }
        for (name, body) in [
            (
                "ShopCard",
                #"{"class":"Shop","properties":{"title":"name","where":"place","townName":"town.name"}}"#
            ),
            ("FlatCard", #"{"class":"Flat","properties":{"label":"name","shopName":"shop.name"}}"#),
        ] {
            let reply = server.send("PUT", "/v1/projections/\(name)", body)
            #expect(reply.status == 201, "\(reply.text)")
        }
        return server
    }
}
