import HTTPServer

extension RESTService {
    /// Every endpoint, in the order of the contract; a test fails when this and `openapi.yaml` differ.
    package func routes() -> [Route] {
        [
            Route(.get, "/v1", "getService", getService),
            Route(.get, "/v1/schema", "getSchema", getSchema),
            Route(.put, "/v1/schema", "putSchema", body: .buffered(), putSchema),
            Route(.get, "/v1/schema/classes/{class}", "getClass", getClass),
            Route(.put, "/v1/schema/classes/{class}", "putClass", body: .buffered(), putClass),
            Route(.delete, "/v1/schema/classes/{class}", "deleteClass", deleteClass),
            Route(.get, "/health/live", "getLiveness", getLiveness),
            Route(.get, "/health/ready", "getReadiness", getReadiness),
            Route(.get, "/metrics", "getMetrics", getMetrics),
        ]
    }
}
