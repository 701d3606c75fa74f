import HTTPServer

extension RESTService {
    /// Every endpoint, in the order of the contract; a test fails when this and `openapi.yaml` differ.
    package func routes() -> [Route] {
        let objects = "/v1/classes/{class}/objects"
        let object = "/v1/classes/{class}/objects/{id}"
        let byKey = "/v1/classes/{class}/object"
        return [
            Route(.post, objects, "createObjects", body: .buffered(), createObjects),
            Route(.get, object, "getObject", getObject),
            Route(.put, object, "putObject", body: .buffered(), putObject),
            Route(.patch, object, "patchObject", body: .buffered(), patchObject),
            Route(.delete, object, "deleteObject", deleteObject),
            Route(.get, byKey, "getObjectByKey", getObjectByKey),
            Route(.put, byKey, "putObjectByKey", body: .buffered(), putObjectByKey),
            Route(.patch, byKey, "patchObjectByKey", body: .buffered(), patchObjectByKey),
            Route(.delete, byKey, "deleteObjectByKey", deleteObjectByKey),
        ]
    }
}
