import HTTPServer
extension RESTService {
    /// Every endpoint, in the order of the contract; a test fails when this and `openapi.yaml` differ.
    package func routes() -> [Route] {
        let objects = "/v1/classes/{class}/objects"
        let object = "/v1/classes/{class}/objects/{id}"
        let elements = "/v1/classes/{class}/objects/{id}/properties/{property}/elements"
        let inner = elements + "/{element}/{inner*}"
        let byKey = "/v1/classes/{class}/object"
        let projections = "/v1/projections"
        let projection = "/v1/projections/{projection}"
        let importPath = "/v1/classes/{class}/import"
        return [
            Route(.get, "/", "getLinks", getLinks),
            Route(.get, "/v1", "getService", getService),
            Route(.get, "/v1/", "getVersionLinks", getVersionLinks),
            Route(.get, "/v1/openapi.json", "getOpenAPI", getOpenAPI),
            Route(.get, "/v1/schema", "getSchema", getSchema),
            Route(.put, "/v1/schema", "putSchema", body: .buffered(), putSchema),
            Route(.get, "/v1/schema/classes/{class}", "getClass", getClass),
            Route(.put, "/v1/schema/classes/{class}", "putClass", body: .buffered(), putClass),
            Route(.delete, "/v1/schema/classes/{class}", "deleteClass", deleteClass),
            Route(.get, objects, "listObjects", listObjects),
            Route(.post, objects, "createObjects", body: .buffered(), createObjects),
            Route(.patch, objects, "patchObjects", body: .buffered(), patchObjects),
            Route(.delete, objects, "deleteObjects", deleteObjects),
            Route(
                .post, "/v1/classes/{class}/query", "queryObjects", body: .buffered(), queryObjects),
            Route(.get, "/v1/classes/{class}/aggregate", "aggregateObjects", aggregateObjects),
            Route(.get, "/v1/classes/{class}/sections", "sectionObjects", sectionObjects),
            Route(.get, object, "getObject", getObject),
            Route(.put, object, "putObject", body: .buffered(), putObject),
            Route(.patch, object, "patchObject", body: .buffered(), patchObject),
            Route(.delete, object, "deleteObject", deleteObject),
            Route(.get, byKey, "getObjectByKey", getObjectByKey),
            Route(.put, byKey, "putObjectByKey", body: .buffered(), putObjectByKey),
            Route(.patch, byKey, "patchObjectByKey", body: .buffered(), patchObjectByKey),
            Route(.delete, byKey, "deleteObjectByKey", deleteObjectByKey),
            Route(.get, object + "/properties/{property}", "getProperty", getProperty),
            Route(
                .patch, object + "/properties/{property}", "patchProperty", body: .buffered(),
                patchProperty),
            Route(.post, elements, "addElement", body: .buffered(), addElement),
            Route(.get, elements, "getElementByKey", getElementByKey),
            Route(.put, elements, "putElementByKey", body: .buffered(), putElementByKey),
            Route(.delete, elements, "deleteElementByKey", deleteElementByKey),
            Route(.get, elements + "/{element}", "getElement", getElement),
            Route(.put, elements + "/{element}", "putElement", body: .buffered(), putElement),
            Route(.delete, elements + "/{element}", "deleteElement", deleteElement),
            Route(
                .post, elements + "/{element}", "addToElement", body: .buffered(), addToElement),
            Route(.get, inner, "getInnerElement", getInnerElement),
            Route(.put, inner, "putInnerElement", body: .buffered(), putInnerElement),
            Route(.delete, inner, "deleteInnerElement", deleteInnerElement),
            Route(.post, inner, "addInnerElement", body: .buffered(), addInnerElement),
            Route(
                .post, "/v1/transactions", "createTransaction", body: .buffered(),
                createTransaction),
            Route(.get, projections, "listProjections", listProjections),
            Route(.get, projection, "getProjection", getProjection),
            Route(.put, projection, "putProjection", body: .buffered(), putProjection),
            Route(.delete, projection, "deleteProjection", deleteProjection),
            Route(.get, projection + "/objects", "listProjectedObjects", listProjectedObjects),
            Route(.get, projection + "/objects/{id}", "getProjectedObject", getProjectedObject),
            Route(
                .patch, projection + "/objects/{id}", "patchProjectedObject", body: .buffered(),
                patchProjectedObject),
            Route(
                .get, projection + "/object", "getProjectedObjectByKey", getProjectedObjectByKey),
            Route(
                .patch, projection + "/object", "patchProjectedObjectByKey", body: .buffered(),
                patchProjectedObjectByKey),
            Route(
                .get, projection + "/changes", "streamProjectionChanges", answersHead: false,
                streamProjectionChanges),
            Route(
                .get, projection + "/objects/{id}/changes", "streamProjectedObjectChanges",
                answersHead: false, streamProjectedObjectChanges),
            Route(.post, importPath, "importObjects", streaming: importObjects),
            Route(.get, "/v1/classes/{class}/export", "exportObjects", exportObjects),
            Route(.post, "/v1/import", "importStore", streaming: importStore),
            Route(.get, "/v1/export", "exportStore", exportStore),
            Route(.get, "/v1/backups", "listBackups", listBackups),
            Route(.post, "/v1/backups", "createBackup", body: .buffered(), createBackup),
            Route(.get, "/v1/backups/{name}", "getBackup", getBackup),
            Route(.delete, "/v1/backups/{name}", "deleteBackup", deleteBackup),
            Route(
                .get, "/v1/classes/{class}/outbox", "getOutbox", answersHead: false, getOutbox),
            Route(.delete, "/v1/classes/{class}/outbox", "acknowledgeOutbox", acknowledgeOutbox),
            Route(.get, "/v1/changes", "streamChanges", answersHead: false, streamChanges),
            Route(
                .get, "/v1/classes/{class}/changes", "streamClassChanges", answersHead: false,
                streamClassChanges),
            Route(
                .get, object + "/changes", "streamObjectChanges", answersHead: false,
                streamObjectChanges),
            Route(.get, "/health/live", "getLiveness", getLiveness),
            Route(.get, "/health/ready", "getReadiness", getReadiness),
            Route(.get, "/metrics", "getMetrics", getMetrics),
        ]
    }
}
