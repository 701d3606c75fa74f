import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel

extension RESTService {
    /// `GET /v1`: the running version, its limits by the names of their options, and its capabilities.
    func getService(_ request: Request) throws(RequestFault) -> Outcome {
        let (version, revision) = try served.withRead(for: .program) { read throws(RequestFault) in
            (try served.version(of: read), read.catalog.schema.revision)
        }
        return .respond(
            Response.object(200) { object in
                object.member("name").string("holdfast")
                object.member("version").string(ServiceVersion.text)
                object.member("engine").string(store.engineName)
                object.member("storeVersion").string(version.description)
                object.member("epoch").string(String(version.description.prefix(8)))
                object.member("schemaRevision").uint(revision)
                object.member("limits").object { limits in
                    for (name, value) in limitValues {
                        limits.member(named: name).int(Int64(value))
                    }
                }
                object.member("capabilities").strings(Self.capabilities)
            })
    }

    /// The names of the features that a client may rely on in this version; later versions add names.
    static let capabilities = [
        "schema", "objects", "queries", "change-streams", "import", "export", "backups",
        "merge-patch", "openapi", "json-patch", "transactions", "bulk-changes", "idempotency-keys",
        "projections", "outbox", "aggregates", "sections", "geojson", "csv", "snapshots", "tickets",
        "tokens",
        "streams",
    ]

    /// Each limit by its name, in bytes, seconds or pieces, and those of the object model.
    var limitValues: [(String, Int)] {
        let options = ServiceOptions(options, store.options)
        return Limit.all.map { ($0.name, options[keyPath: $0.path]) } + [
            ("className", ModelLimits.classNameByteCountMax),
            ("propertyName", ModelLimits.propertyNameByteCountMax),
            ("value", ModelLimits.valueByteCountMax),
        ]
    }
}
