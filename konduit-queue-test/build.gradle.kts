plugins {
    `java-library`
    `maven-publish`
}

description = "For tests of applications: runs handlers on the thread of the test."

dependencies {
    api(project(":konduit-queue-core"))

    testImplementation(project(":konduit-queue-spring-boot-starter"))
    testImplementation(project(":konduit-queue-test-support"))
    testImplementation(libs.archunit)
    testImplementation(libs.spring.boot.starter.test)
    testRuntimeOnly(libs.junit.platform.launcher)
}
