import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore

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
        "tokens", "streams",
    ]

    /// Each limit by its name, in bytes, seconds or pieces, and the limits of the object model.
    var limitValues: [(String, Int)] {
        let options = ServiceOptions(options, store.options)
        return Limit.all.map { ($0.name, options[keyPath: $0.path]) } + [
            ("className", ModelLimits.classNameByteCountMax),
            ("propertyName", ModelLimits.propertyNameByteCountMax),
            ("value", ModelLimits.valueByteCountMax),
        ]
    }

    /// `GET /`: where to go on from the address alone; it reveals nothing of the store. A browser gets the first page of the public
    /// folder, or else is led to the console, as far as there are these.
    func getLinks(_ request: Request) -> Outcome {
        let page = publicReply { folder throws(PublicFolder.Failure) in
            try folder.page(for: request)
        }
        let wayToConsole =
            options.hasConsole && request.asksForPage
            ? Response(303).with(.location, "/console/") : nil
        let reply = page ?? wayToConsole ?? Response(200, .json, Bytes(Self.links))
        return .respond(reply.with(.vary, "Accept"))
    }

    /// `GET /v1/`: as `GET /`.
    func getVersionLinks(_ request: Request) -> Outcome {
        .respond(Response(200, .json, Bytes(Self.links)))
    }

    private static let links: StaticString = """
        {"name":"holdfast","links":{"service":"/v1","openapi":"/v1/openapi.json",\
        "schema":"/v1/schema","classes":"/v1/classes","changes":"/v1/changes","metrics":"/metrics",\
        "live":"/health/live","ready":"/health/ready"}}
        """

    /// `GET /health/live`: the process answers.
    func getLiveness(_ request: Request) -> Outcome {
        return .respond(Response(200, .json, Bytes("{\"status\":\"ok\"}" as StaticString)))
    }

    /// `GET /health/ready`: the store can be read, and nothing has ended writing.
    func getReadiness(_ request: Request) -> Outcome {
        do throws(StoreError) {
            _ = try store.withRead { read throws(StoreError) in try read.state() }
        } catch {
            logger.log(.error, "the store can't be read", ("error", .text("\(error)")))
            return .respond(
                response(
                    RequestFault(
                        .unavailable, "not-ready", "The store can't be read.", retryAfterSeconds: 5)
                ))
        }
        if store.hasStoppedWriting {
            return .respond(
                response(
                    RequestFault(
                        .unavailable, "not-ready",
                        "A write failed, and no more are taken until the server is restarted; reads go "
                            + "on. The log has the reason.")))
        }
        return .respond(Response(200, .json, Bytes("{\"status\":\"ok\"}" as StaticString)))
    }
}

/// The program's own version.
package enum ServiceVersion {
    /// Semantic versioning (https://semver.org).
    package static let text = "0.3.0"
}
