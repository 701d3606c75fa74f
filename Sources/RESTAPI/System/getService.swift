import HTTPServer
import JSON
import ObjectModel

extension RESTService {
    /// `GET /v1`: what runs here, its limits by the names of their options, and what it can do.
    func getService(_ request: Request) -> Outcome {
        do { try Parameters.refuseAll(request) } catch { return .respond(response(error)) }
        let version = store.version
        return .respond(
            Response.json(200) { writer in
                writer.object { object in
                    object.member("name").string("holdfast")
                    object.member("version").string(ServiceVersion.text)
                    object.member("engine").string(store.engineName)
                    object.member("storeVersion").string(version.description)
                    object.member("epoch").string(String(version.description.prefix(8)))
                    object.member("schemaRevision").uint(store.catalog.schema.revision)
                    object.member("limits").object { limits in
                        for (name, value) in limitValues {
                            limits.member(named: name).int(Int64(value))
                        }
                    }
                    object.member("capabilities").array { array in
                        for name in Self.capabilities { array.element().string(name) }
                    }
                }
            })
    }

    /// What a client may rely on in this version; later versions add names.
    static let capabilities = [
        "schema", "objects", "queries", "change-streams", "import", "export", "backups",
        "merge-patch", "openapi", "json-patch", "transactions", "bulk-changes", "idempotency-keys",
        "projections", "outbox", "aggregates", "sections", "geojson", "csv",
    ]

    /// Each limit with the name of its option, in the option's unit.
    var limitValues: [(String, Int)] {
        [
            ("body", options.bodyByteCountMax),
            ("importLine", served.limits.importLineByteCountMax),
            ("importFaults", served.limits.importFaultCountMax),
            ("inflation", options.inflationRatioMax),
            ("imports", served.limits.importCountMax),
            ("jsonDepth", served.limits.jsonDepthMax),
            ("page", served.limits.pageObjectCountMax),
            ("queryText", served.limits.queryTextByteCountMax),
            ("queryTime", served.limits.queryTimeSecondsMax),
            ("queryMemory", served.limits.queryMemoryByteCountMax),
            ("longQueries", served.limits.longQueryCountMax),
            ("longQueryMemory", served.limits.longQueryMemoryByteCountMax),
            ("columnMemory", store.options.columns.byteCountMax),
            ("collectionElements", served.limits.collectionElementCountMax),
            ("collectionBytes", served.limits.collectionByteCountMax),
            ("transaction", store.options.operationCountMax),
            ("transactionBytes", store.options.transactionByteCountMax),
            ("idempotencyAge", store.options.replyLimits.retentionSeconds),
            ("idempotencyBytes", store.options.replyLimits.byteCountMax),
            ("idempotencyReply", store.options.replyLimits.replyByteCountMax),
            ("target", options.targetByteCountMax),
            ("headers", options.headerByteCountMax),
            ("connections", options.connectionCountMax),
            ("streamQueue", served.limits.streamQueueByteCountMax),
            ("retentionAge", store.options.retentionSeconds),
            ("retentionBytes", Int(clamping: store.options.retentionByteCount)),
            ("readerAge", served.limits.readerAgeSecondsMax),
            ("exportAge", served.limits.exportAgeSecondsMax),
            ("exportGrowth", served.limits.exportGrowthByteCountMax),
            ("exportRateMin", served.limits.exportByteRateMin),
            ("minVersionWait", served.limits.minVersionWaitSeconds),
            ("heartbeat", options.heartbeatSeconds),
            ("className", ModelLimits.classNameByteCountMax),
            ("propertyName", ModelLimits.propertyNameByteCountMax),
            ("value", ModelLimits.valueByteCountMax),
        ]
    }
}
