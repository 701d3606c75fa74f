import HTTPServer
import JSON
import ObjectJSON
import ObjectModel
import ObjectStore
import StoreService

extension RESTService {
    /// `PUT /v1/projections/{projection}`: adds a projection, or puts another in its place.
    func putProjection(_ request: Request) -> Outcome {
        answering { () throws(RequestFault) in
            try Parameters.refuseAll(request)
            let name = request.parameter(0).string
            _ = try BodyType.read(request)
            var reader = SchemaReader()
            let read = reader.readProjection(
                try served.json(request.body, RequestScratch.current.parser), JSONPointer(),
                named: name)
            guard let projection = read, reader.faults.isEmpty else {
                throw RequestFault(projection: reader.faults)
            }
            let isNew = !store.catalog.projections.contains { $0.name == name }
            return try changeProjections(request, stated: projection) {
                present throws(StoreError) in
                var projections = present
                if let position = present.firstIndex(where: { $0.name == name }) {
                    projections[position] = projection
                } else {
                    projections.append(projection)
                }
                return projections
            } answer: { catalog in
                self.definitionResponse(isNew ? 201 : 200, catalog) { $0.projection(projection) }
            }
        }
    }
}
